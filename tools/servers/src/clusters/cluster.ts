/** For `rmSync`: the processes of a killed group end one after another, and may still write. */
export const REMOVAL = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 };

/** A node of a cluster, to be lost by a test. */
export interface ClusterNode {
  url: string;
  /** Kills the node at once (SIGKILL) and deletes its data, as the loss of its machine does. */
  lose(): Promise<void>;
}

/** Servers of one kind that form a cluster on this machine, for one test. */
export interface Cluster<Node extends ClusterNode = ClusterNode> {
  nodes: readonly Node[];
  /** Starts an empty node that joins the cluster; resolves when it has joined. */
  add(): Promise<Node>;
  /** Stops all nodes and removes their data. */
  stop(): Promise<void>;
}

/** Calls `start` for the first node, and then for the others at once. When one does not start, `stop` is called. */
export async function startNodes<Started extends Cluster>(cluster: Started, count: number): Promise<Started> {
  try {
    await cluster.add();
    await Promise.all(Array.from({ length: count - 1 }, () => cluster.add()));
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}
