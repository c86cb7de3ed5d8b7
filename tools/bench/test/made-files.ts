/** What a benchmark of a made chain writes; `change` alters it before it is packed. */
export function embeddedFile(change: (file: MadeFile) => void = () => undefined): string {
  const runs = (diskBytes: number, seconds: number): object[] =>
    [0.9, 1, 1.1].map((factor) => ({
      seconds,
      processorSeconds: 2 * seconds,
      busiestThreadSeconds: seconds,
      diskBytes: diskBytes * factor,
      peakMemoryBytes: 4e8,
    }));
  const figures = {
    recording: { contents: RECORDING, runs: runs(2_700, 1.2) },
    onblock: { contents: ONBLOCK, runs: runs(70_000, 2) },
  };
  return pack({ benchmark: 'indexing', figures }, change);
}

/** As above, of the suite. */
export function suiteFile(change: (file: MadeFile) => void = () => undefined): string {
  const index = (bytes: number): object => ({ documents: 1, bytes });
  const chain = (contents: object, scale: number): object => ({
    contents,
    processorSeconds: { reader: scale, rabbitmq: scale, deserializer: scale, indexer: scale, elasticsearch: scale },
    peakMemoryBytes: { reader: 1e8, deserializer: 2e8, indexer: 3e8 },
    indices: {
      actions: index(1_600 * scale),
      blocks: index(20 * scale),
      bodies: index(500 * scale),
      abis: index(scale),
      journal: index(1e9),
    },
  });
  const figures = { recording: chain(RECORDING, 10), onblock: chain(ONBLOCK, 1) };
  return pack({ benchmark: 'suite', figures }, change);
}

export type MadeFile = Record<string, unknown> & { figures: Record<'recording' | 'onblock', Record<string, unknown>> };

const RECORDING = { blocks: 10, actions: 20, traces: 35 };
const ONBLOCK = { blocks: 100, actions: 100, traces: 100 };

function pack(file: Record<string, unknown>, change: (file: MadeFile) => void): string {
  change(file as MadeFile);
  return JSON.stringify(file);
}
