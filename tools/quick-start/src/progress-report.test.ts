import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Replay, ServiceFigures } from '@antelope-history/processes';
import { ROUTES } from '@antelope-history/routes';
import { ProgressReport, type ReportedService } from './progress-report';
import type { ProgressView } from './progress-view';

const FIGURES: ServiceFigures = {
  health: {
    status: 'ok',
    version: '4.1.0',
    chain_id: null,
    first_block_num: 1,
    state_complete: true,
    head_block_num: 9,
    committed_block_num: 9,
    last_irreversible_block_num: 8,
    lag_blocks: 0,
    committed_age_seconds: 1,
    data_fields: {},
    incomplete_ranges: [],
    components: {},
  },
  committedBlock: 9,
  indexedBlocks: 9,
  indexedActions: 9,
  forks: 0,
};

describe('the progress of a service without examples of some endpoints', () => {
  let server: Server;
  let lines: string[];
  let report: ProgressReport;
  let service: ReportedService;
  let requests = 0;
  let startedAt: number;
  let respond: (response: ServerResponse, path: string) => void;

  beforeEach(async () => {
    requests = 0;
    lines = [];
    server = createServer((request, response) => {
      requests++;
      request.resume();
      respond(response, request.url ?? '');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const view: ProgressView = {
      field: (name, value) => void lines.push(`${name} ${value}`),
      print: (line) => void lines.push(line),
      show: () => undefined,
      close: () => undefined,
    };
    service = { url, operationsUrl: url, replay: undefined, onStop: 'stops' };
    report = new ProgressReport(view, service);
    startedAt = Date.now();
  });
  afterEach(() => {
    jest.restoreAllMocks();
    server.closeAllConnections();
    server.close();
  });

  const showAfter = async (seconds: number): Promise<void> => {
    jest.spyOn(Date, 'now').mockReturnValue(startedAt + seconds * 1000);
    await report.show(FIGURES);
    jest.restoreAllMocks();
  };

  it.each([
    ['requires an API key', 'send a key', 401],
    ['limits requests', 'send at most 5 requests per minute', 429],
  ])('is ready when it %s, and says why there are none', async (_, message, status) => {
    const error = { code: 0, name: 'x', what: 'what', details: [{ message, file: '', line_number: 0, method: 'x' }] };
    respond = (response) => response.writeHead(status).end(JSON.stringify({ code: status, message: 'x', error }));
    await showAfter(0);
    expect(lines).toEqual([]);
    await showAfter(11);
    expect(lines.find((line) => line.startsWith('Ready after'))).not.toContain('Try it');
    const paths = Object.values(ROUTES).map(({ path }) => path);
    expect(lines).toContain(`No example of ${paths.join(', ')}: ${message}`);
    const sent = requests;
    await showAfter(60);
    expect(requests).toBe(sent);
  });

  it.each<[string, typeof respond, string]>([
    [
      'responds with an error of another form',
      (response) => response.writeHead(500).end('{}'),
      'it responds with an error',
    ],
    ['has nothing to show', (response) => response.end('{"actions":[]}'), 'this chain has nothing to show there'],
  ])('is ready when it %s', async (_, how, reason) => {
    respond = how;
    await showAfter(0);
    await showAfter(11);
    expect(lines.at(-1)).toBe('Ctrl-C stops');
    expect(lines.some((line) => line.startsWith('No example of') && line.endsWith(`: ${reason}`))).toBe(true);
  });

  it.each<[string, typeof respond]>([
    ['breaks off responses', (response) => response.destroy()],
    ['responds with no JSON', (response) => response.end('<html>')],
  ])('is not ready while it %s, and asks for nothing more in that attempt', async (_, how) => {
    respond = how;
    await showAfter(0);
    await showAfter(11);
    expect([lines, requests]).toEqual([[], 2]);
    respond = (response) => response.end('{}');
    await showAfter(17);
    expect(lines.at(-1)).toBe('Ctrl-C stops');
  });

  it.each([
    ['the gateway serves it', 200, 'url'],
    ['the gateway does not serve it', 404, 'operationsUrl'],
  ] as const)('names the documentation where it is: %s', async (_, status, where) => {
    const { url } = service;
    service.operationsUrl = `${url}/operations`;
    respond = (response, path) => response.writeHead(path === '/docs' ? status : 500).end('{}');
    await showAfter(0);
    await showAfter(11);
    expect(lines).toContain(`Docs ${service[where]}/docs`);
  });

  it.each([
    ['a node', undefined, [true, true, false, true]],
    ['a recording', { lastBlockNum: 9, atEnd: () => true } as Replay, [true, true, false, false]],
  ])('needs figures of %s less often, or no more, after the examples', async (_, replay, expected) => {
    service.replay = replay;
    respond = (response) => response.end('{}');
    const due = [report.isDue];
    await showAfter(0);
    due.push(report.isDue);
    await showAfter(11);
    for (const seconds of [11.9, 12]) {
      jest.spyOn(Date, 'now').mockReturnValue(startedAt + seconds * 1000);
      due.push(report.isDue);
    }
    expect(due).toEqual(expected);
  });

  it('looks for the values of examples once in an attempt', async () => {
    respond = (response) => response.writeHead(500).end('{}');
    await showAfter(0);
    // One request per endpoint, two for get_actions, and two for the values.
    expect(requests).toBe(Object.keys(ROUTES).length + 3);
  });

  it('shows the examples that there are', async () => {
    const { path: refused } = ROUTES.getKeyAccounts;
    respond = (response, path) => {
      const route = Object.values(ROUTES).find((each) => each.path === path && path !== refused);
      response.writeHead(route ? 200 : 500).end(JSON.stringify(route?.example.response ?? {}));
    };
    await showAfter(0);
    expect(lines).toEqual([]);
    await showAfter(11);
    const requested = lines.flatMap((line) => /^curl -s http:\/\/[^/]+(\S+) -d /.exec(line)?.[1] ?? []);
    expect(requested).toEqual(
      Object.values(ROUTES)
        .map(({ path }) => path)
        .filter((path) => path !== refused),
    );
    expect(lines).toContain(`No example of ${refused}: it responds with an error`);
  });
});
