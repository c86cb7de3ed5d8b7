import axe, { type AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';

/** A page of a browser, and everything that went wrong in it. */
export interface PageVisitor {
  page: Page;
  /** Script errors, refused resources, and requests to other hosts than `hosts`. */
  problems: string[];
  close(): Promise<void>;
}

/** `hosts`: what the page may reach, as `127.0.0.1:8890`. */
export async function visit(
  browser: Browser,
  hosts: string[],
  options: BrowserContextOptions = {},
): Promise<PageVisitor> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  // A response with an error status is the service's; whether the page shows it is what the tests look at.
  page.on('console', (line) => {
    if (line.type() === 'error' && !line.text().startsWith('Failed to load resource')) problems.push(line.text());
  });
  page.on('request', (request) => {
    const { host, protocol } = new URL(request.url());
    if (protocol !== 'data:' && !hosts.includes(host)) problems.push(`request to ${host}`);
  });
  return { page, problems, close: () => context.close() };
}

/** The rules of accessibility that a page breaks, and the elements that do. */
export async function violationsIn(page: Page): Promise<[string, string[]][]> {
  const { violations } = await page.evaluate<AxeResults>(`(() => { ${axe.source}; return axe.run() })()`);
  return violations.map(({ id: rule, nodes }) => [rule, nodes.map(({ html }) => html)]);
}

/** How long a test waits for what a page has to show: far longer than a busy machine takes. */
export const LOADED_MS = 30_000;

export const heading = (page: Page): Locator => page.locator('main h1');

/** Waits until the page shows a text. */
export function shows(page: Page, text: string): Promise<void> {
  return page.getByText(text).first().waitFor({ timeout: LOADED_MS });
}

/** Waits until the heading begins with one of the titles. */
export function titled(page: Page, titles: string[]): Promise<void> {
  const title = heading(page).filter({ hasText: new RegExp(`^(${titles.join('|')})`) });
  return title.waitFor({ timeout: LOADED_MS });
}

/** Answers the question of the page for an API key. */
export async function enterApiKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
}

/** The links of the navigation that are marked as current, each with how: as the page itself, or as one above it. */
export async function currentLinks(page: Page): Promise<(string | null)[][]> {
  const links = await page.locator('nav a[aria-current]').all();
  return Promise.all(links.map((link) => Promise.all([link.textContent(), link.getAttribute('aria-current')])));
}
