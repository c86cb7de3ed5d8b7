import { runThread } from '../threads/run-thread';
import { startIngestion } from './ingestion';

runThread('ingestion', async (context) => {
  await startIngestion(context);
  return () => undefined;
});
