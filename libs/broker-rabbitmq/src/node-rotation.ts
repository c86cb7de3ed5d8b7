/** Chooses the node of each connection: the nodes of a cluster in turn, beginning with any, so that they share the connections. */
export class NodeRotation {
  private readonly urls: string[];
  private at: number;

  /** `url` holds one URL or several, separated by commas. */
  constructor(url: string) {
    this.urls = nodeUrls(url);
    this.at = Math.floor(Math.random() * this.urls.length);
  }

  next(): string {
    return this.urls[this.at++ % this.urls.length] as string;
  }
}

export function nodeUrls(url: string): string[] {
  return url.split(',').map((each) => each.trim());
}
