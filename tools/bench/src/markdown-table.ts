/** A Markdown table with cells of equal width, as Prettier writes it. The first row has the headings. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const [headings = [], ...others] = rows;
  const widths = headings.map((_, column) =>
    Math.max(SHORTEST_RULE, ...rows.map((cells) => (cells[column] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |\n`;
  const rule = widths.map((width) => '-'.repeat(width));
  return [headings, rule, ...others].map(line).join('');
}

const SHORTEST_RULE = 3;
