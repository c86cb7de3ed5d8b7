/** The constant parts of the status page. They never change, so its Content-Security-Policy can name their hashes. */

/**
 * Fetches the page every few seconds and replaces each element with an id whose content differs; unchanged elements keep
 * focus and selection. The page shows when the fetch fails.
 */
export const SCRIPT = `
const seconds = 4;
async function follow() {
  const stale = document.getElementById('stale');
  const status = document.getElementById('status');
  try {
    const response = await fetch('./', { cache: 'no-store', signal: AbortSignal.timeout(seconds * 2000) });
    if (!response.ok) throw response;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    for (const next of page.querySelectorAll('[id]')) {
      const now = document.getElementById(next.id);
      if (!now || now === stale) continue;
      if (now.className !== next.className) now.className = next.className;
      if (now.innerHTML !== next.innerHTML) now.innerHTML = next.innerHTML;
    }
    stale.hidden = true;
  } catch {
    stale.hidden = false;
    status.className = 'down';
    status.textContent = 'The service does not respond';
  }
  setTimeout(follow, seconds * 1000);
}
setTimeout(follow, seconds * 1000);
`;

export const STYLE = `
:root {
  --ground: #f6f7f5; --card: #ffffff; --text: #1d2421; --soft: #5b6660; --line: #dfe4e0;
  --ok: #1f7a4d; --catching_up: #23639b; --degraded: #92600a; --down: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #121614; --card: #1a201d; --text: #e6ebe8; --soft: #9aa7a0; --line: #2b332f;
    --ok: #5fc492; --catching_up: #7fb6e6; --degraded: #e0b15c; --down: #f2938c;
  }
}
* { box-sizing: border-box; margin: 0; }
body {
  background: var(--ground); color: var(--text); min-height: 100vh; padding: clamp(1.5rem, 6vw, 5rem) 1.25rem 2rem;
  font: 1rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif;
}
header, main, footer { max-width: 44rem; margin: 0 auto; }
.name { color: var(--soft); letter-spacing: 0.02em; }
h1 { font-size: clamp(1.6rem, 5vw, 2.3rem); font-weight: 600; letter-spacing: -0.015em; line-height: 1.2; margin: 0.15rem 0 2rem; }
h1::before, .state::before {
  content: ''; display: inline-block; width: 0.5em; height: 0.5em; border-radius: 50%; margin-right: 0.5em;
  background: var(--now); vertical-align: 0.12em;
}
h1.down::before, .down .state::before { border-radius: 0.06em; }
h1.degraded::before, .degraded .state::before { clip-path: polygon(50% 0, 100% 100%, 0 100%); border-radius: 0; }
.ok { --now: var(--ok); } .catching_up { --now: var(--catching_up); }
.degraded { --now: var(--degraded); } .down { --now: var(--down); }
section { background: var(--card); border: 1px solid var(--line); border-radius: 0.9rem; padding: 1.4rem 1.5rem; margin-bottom: 1.25rem; }
h2 { font-size: 1rem; font-weight: 600; margin-bottom: 0.9rem; }
#chain-name { margin-bottom: 0; }
.progress p { color: var(--soft); font-size: 0.875rem; font-variant-numeric: tabular-nums; }
svg { margin-top: 0.45rem; display: block; width: 100%; height: 0.4rem; border-radius: 0.2rem; }
.whole { fill: var(--line); } .done { fill: var(--ok); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 1.1rem 1.5rem; margin: 1.4rem 0; }
dt, .chain-id span { color: var(--soft); font-size: 0.875rem; }
dd { font-size: 1.2rem; font-weight: 600; font-variant-numeric: tabular-nums; letter-spacing: -0.01em; white-space: nowrap; }
code { font: 0.8125rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.chain-id span { display: block; }
.ranges { margin-top: 0.9rem; color: var(--degraded); }
.components { list-style: none; padding: 0; }
.components li { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1rem; padding: 0.55rem 0; border-top: 1px solid var(--line); }
.components li:first-child { border-top: 0; padding-top: 0; }
.components li:last-child { padding-bottom: 0; }
.component { flex: 1 1 9rem; }
.work { color: var(--soft); font-size: 0.875rem; font-variant-numeric: tabular-nums; }
.state { color: var(--now); min-width: 7.5rem; text-align: right; }
footer { color: var(--soft); font-size: 0.875rem; display: flex; flex-wrap: wrap; gap: 0.5rem 2rem; justify-content: space-between; padding: 0.5rem 0.25rem; }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; }
a { color: var(--catching_up); text-underline-offset: 0.2em; }
a:focus-visible { outline: 2px solid currentcolor; outline-offset: 3px; border-radius: 2px; }
@media (max-width: 30rem) {
  section { padding: 1.1rem 1.15rem; }
  .work { order: 3; flex-basis: 100%; }
  .state { min-width: 0; }
}
`;

/** A drawing of one block in a chain. */
export const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E" +
  "%3Crect width='32' height='32' rx='8' fill='%231f7a4d'/%3E" +
  "%3Cpath d='M5 16h6m10 0h6' stroke='%23fff' stroke-width='2.5' stroke-linecap='round'/%3E" +
  "%3Crect x='11' y='11' width='10' height='10' rx='2.5' fill='%23fff'/%3E%3C/svg%3E";
