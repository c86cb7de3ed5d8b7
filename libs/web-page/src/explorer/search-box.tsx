import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { linkTo } from '../location.js';
import { meaningsOf, normalise } from './search-text.js';

/** `text`: what the view shows, which the box shows as well. */
export function SearchBox({ text }: { text: string }): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current) input.current.value = text;
  }, [text]);

  const search = (event: Event): void => {
    event.preventDefault();
    const searched = normalise(input.current?.value ?? '');
    if (searched === '') return;
    const [meaning, ...others] = meaningsOf(searched);
    // A text with one meaning leads to its view; of several, the service knows which exist.
    location.hash =
      meaning !== undefined && others.length === 0 ? linkTo(meaning, searched) : linkTo('search', searched);
  };

  return (
    <form class="search" role="search" onSubmit={search}>
      <input
        ref={input}
        type="search"
        aria-label="Account, key, transaction or block"
        placeholder="Account, key, transaction or block"
        autocapitalize="off"
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
      />
      <button type="submit">Search</button>
    </form>
  );
}
