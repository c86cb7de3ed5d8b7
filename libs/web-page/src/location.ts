/** A view of the page and its parameters, as the address after `#` has them: `#/account/alice?sort=asc`. */
export interface View {
  name: string;
  /** The account, key, id or text that the view shows. */
  subject: string;
  parameters: Record<string, string>;
}

export function parseView(hash: string): View {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?');
  const [name = '', ...subject] = path.split('/');
  return {
    name,
    subject: decode(subject.join('/')),
    parameters: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** The address of a view. Parameters without a value are left out. */
export function linkTo(name: string, subject = '', parameters: Record<string, string | undefined> = {}): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const query = new URLSearchParams(given).toString();
  return `#/${name}${subject === '' ? '' : `/${encodeURIComponent(subject)}`}${query === '' ? '' : `?${query}`}`;
}

/** A person may have typed a `%` that begins no escape. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
