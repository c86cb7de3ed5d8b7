import { PendingTasks } from './pending-tasks';

describe('PendingTasks', () => {
  it('gives each task the result or the error with its id', async () => {
    const tasks = new PendingTasks<string>();
    const ids: number[] = [];
    const send = (id: number): void => void ids.push(id);
    const running = [tasks.run(send), tasks.run(send), tasks.run(send)];
    expect([tasks.size, new Set(ids).size]).toEqual([3, 3]);
    tasks.resolve(ids[2]!, 'third');
    tasks.reject(ids[1]!, new Error('second'));
    tasks.resolve(ids[0]!, 'first');
    tasks.resolve(ids[0]!, 'again');
    await expect(Promise.allSettled(running)).resolves.toMatchObject([
      { value: 'first' },
      { reason: { message: 'second' } },
      { value: 'third' },
    ]);
    expect(tasks.size).toBe(0);
  });

  it('rejects the tasks of a thread that has ended, and sends no more', async () => {
    const tasks = new PendingTasks<string>();
    const send = jest.fn();
    const running = tasks.run(send);
    tasks.end();
    await expect(running).rejects.toMatchObject({ code: 'STOPPED' });
    await expect(tasks.run(send)).rejects.toMatchObject({ code: 'STOPPED' });
    expect(send).toHaveBeenCalledTimes(1);
  });
});
