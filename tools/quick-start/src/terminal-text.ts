/** The text on one line and without control characters: what others wrote must not steer the terminal or invent lines. */
export function withoutControls(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ');
}
