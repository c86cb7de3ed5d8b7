import { runThread } from '../threads/run-thread';
import { startIngestion } from './ingestion';
import { lowerPriority } from './lower-priority';

runThread('ingestion', async (context) => {
  lowerPriority(context.log);
  await startIngestion(context);
  return () => undefined;
});
