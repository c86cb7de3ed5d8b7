import type { LocalResponder } from '@antelope-history/gateway-proxy';
import { HistoryError } from '@antelope-history/schemas';
import { toBuffer, toOwned } from '../threads/owned-bytes';
import { runThread, type ThreadContext } from '../threads/run-thread';
import { toPostedError } from '../threads/thread-messages';
import type { ApiResult, ApiTask } from './api-messages';
import { createLocalResponders, openApiDependencies } from './open-responders';
import { LargeResponseClient } from './shared-large-responses';

runThread<ApiResult>('api', async (context) => {
  const largeResponses = new LargeResponseClient(context.send);
  const responders = createLocalResponders(await openApiDependencies(context, largeResponses));
  const working = new Map<number, AbortController>();
  return (task: ApiTask) => {
    switch (task.kind) {
      case 'large':
        return largeResponses.receive(task);
      case 'abandon':
        return working.get(task.id)?.abort(new HistoryError('CLIENT_LEFT', 'the client closed the connection'));
      case 'respond': {
        const controller = new AbortController();
        working.set(task.id, controller);
        const respond = responders.get(task.path) as LocalResponder;
        void respondTo(task, respond, controller.signal, context).finally(() => working.delete(task.id));
      }
    }
  };
});

async function respondTo(
  { id, bytes, contentEncoding }: Extract<ApiTask, { kind: 'respond' }>,
  respond: LocalResponder,
  signal: AbortSignal,
  { send }: ThreadContext<ApiResult>,
): Promise<void> {
  try {
    const body = { bytes: toBuffer(bytes), contentEncoding };
    const { pieces, ...response } = await respond(body, signal);
    const owned = pieces.map(toOwned);
    const buffers = owned.map(({ buffer }) => buffer);
    send({ kind: 'response', id, ...response, pieces: owned }, buffers);
  } catch (error) {
    send({ kind: 'error', id, error: toPostedError(error) });
  }
}
