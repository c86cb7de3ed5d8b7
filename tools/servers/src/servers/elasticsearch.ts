import {
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { startInBackground, untilHealthy } from '../processes/background';
import { findProgram, runCommand } from '../processes/command';
import { findFreePorts } from '../processes/free-port';
import type { ProcessIdentity } from '../processes/process-identity';
import { makeServerFolder } from '../server-folder';
import { checkHealth } from './health';
import type { StartServer } from './server-programs';

const VERSION = '8.19.8';
/** The server without its optional modules: the only distribution in Maven repositories. */
const ARTIFACT = `org.elasticsearch.distribution.integ-test-zip:elasticsearch:${VERSION}:zip`;
const UNPACK = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack';
const OLDEST_JAVA = 17;

const FETCH_LIMIT_MS = 600_000;
const JAVA_LIMIT_MS = 30_000;
/**
 * For a server that lives for minutes on few processors: with the optimising compiler half of its processor time goes into
 * compiling, and the default collector, which jvm.options of the distribution chooses, adds threads of its own.
 */
const SHORT_LIVED_JVM = '-Xms512m -Xmx1g -XX:TieredStopAtLevel=1 -XX:-UseG1GC -XX:+UseSerialGC';
export const ELASTICSEARCH_START_LIMIT_MS = 180_000;

/** Starts an empty server on a free port. Needs Java, and Maven the first time. */
export const startElasticsearch: StartServer = async (folder, started) => {
  const { port, leader, logFile, own } = await launchElasticsearch(folder, {});
  const url = `http://127.0.0.1:${port}`;
  started({ name: 'elasticsearch', url, processes: [leader], folder: own });
  await untilHealthy(() => checkHealth.elasticsearch(url), { leader, logFile }, ELASTICSEARCH_START_LIMIT_MS);
};

/** Differences from a server without security. */
export interface ElasticsearchConfiguration {
  settings?: Record<string, unknown>;
  /** Contents of files of its configuration folder, by name. */
  files?: Record<string, string>;
}

export interface LaunchedElasticsearch {
  port: number;
  /** Where other nodes of a cluster connect. */
  transportPort: number;
  leader: ProcessIdentity;
  logFile: string;
  /** The server's folder; its user removes it when the server has ended. */
  own: string;
}

/** Starts a server as a process group of its own and does not wait until it is ready. */
export async function launchElasticsearch(
  folder: string,
  configuration: ElasticsearchConfiguration,
): Promise<LaunchedElasticsearch> {
  const java = await findJava();
  const home = await unpackDistribution(folder);
  const own = makeServerFolder(folder, 'elasticsearch');
  const [port = 0, transportPort = 0] = await findFreePorts(2);
  prepareFolder(own, home, { 'http.port': port, 'transport.port': transportPort }, configuration);
  const user = findOtherUser();
  if (user) giveTo(user, own, home);
  const logFile = path.join(own, 'output.log');
  const leader = startInBackground([path.join(home, 'bin/elasticsearch')], {
    environment: {
      PATH: process.env['PATH'],
      ES_JAVA_HOME: java,
      ES_PATH_CONF: path.join(own, 'config'),
      ES_TMPDIR: path.join(own, 'tmp'),
      ES_JAVA_OPTS: SHORT_LIVED_JVM,
      CLI_JAVA_OPTS: `-XX:TieredStopAtLevel=1 -Djava.io.tmpdir=${path.join(own, 'tmp')}`,
    },
    folder: path.join(own, 'logs'),
    logFile,
    user,
  });
  return { port, transportPort, leader, logFile, own };
}

async function findJava(): Promise<string> {
  const home = process.env['JAVA_HOME'];
  const java = findProgram(...(home ? [path.join(home, 'bin/java')] : []), 'java');
  if (!java)
    throw new Error(
      `Java ${OLDEST_JAVA} or newer is needed: set JAVA_HOME, install openjdk-17-jre-headless, or run Docker`,
    );
  const said = await runCommand([java, '-XshowSettings:properties', '-version'], { limitMs: JAVA_LIMIT_MS });
  const setting = (name: string): string | undefined => new RegExp(`^ *${name} = (.+)$`, 'm').exec(said)?.[1];
  const version = Number(setting('java\\.specification\\.version'));
  if (!(version >= OLDEST_JAVA)) throw new Error(`Java ${OLDEST_JAVA} or newer is needed, ${java} is ${version}`);
  return setting('java\\.home') ?? path.dirname(path.dirname(java));
}

/** The folder of the distribution, which is fetched the first time and kept for later starts. */
async function unpackDistribution(folder: string): Promise<string> {
  const home = path.join(folder, `elasticsearch-${VERSION}`);
  if (existsSync(home)) return home;
  const maven = findProgram('mvn');
  if (!maven) throw new Error('Maven (mvn) is needed to fetch Elasticsearch: install maven, or run Docker');
  const unpacked = mkdtempSync(path.join(folder, 'unpacked-'));
  try {
    const command = [maven, '-B', '-q', UNPACK, `-Dartifact=${ARTIFACT}`, `-DoutputDirectory=${unpacked}`];
    // Maven writes files to its working directory.
    await runCommand(command, { limitMs: FETCH_LIMIT_MS, folder: unpacked });
    renameSync(path.join(unpacked, `elasticsearch-${VERSION}`), home);
    return home;
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
}

function prepareFolder(
  own: string,
  home: string,
  ports: Record<string, number>,
  { settings, files = {} }: ElasticsearchConfiguration,
): void {
  const at = (name: string): string => path.join(own, name);
  for (const name of ['data', 'logs', 'repositories', 'tmp']) mkdirSync(at(name));
  cpSync(path.join(home, 'config'), at('config'), { recursive: true });
  const all = {
    'cluster.name': path.basename(own),
    'discovery.type': 'single-node',
    'xpack.security.enabled': false,
    ...ports,
    'path.data': at('data'),
    'path.logs': at('logs'),
    // The folders of snapshot repositories are below it.
    'path.repo': at('repositories'),
    'cluster.routing.allocation.disk.threshold_enabled': false,
    // Only for the recovery of indices after the loss of a cluster's state; written and synchronised for each new index.
    'gateway.write_dangling_indices_info': false,
    ...settings,
  };
  // Every JSON document is a YAML document.
  writeFileSync(at('config/elasticsearch.yml'), JSON.stringify(all, null, 2));
  for (const [name, content] of Object.entries(files)) writeFileSync(at(`config/${name}`), content);
  writeFileSync(at('output.log'), '');
}

/** The user `nobody` when this process is root, because Elasticsearch refuses to run as root. */
function findOtherUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const entry = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  if (!entry) throw new Error('Elasticsearch does not run as root, and there is no user nobody');
  return { uid: Number(entry[1]), gid: Number(entry[2]) };
}

function giveTo({ uid, gid }: { uid: number; gid: number }, ...places: string[]): void {
  for (const place of places) {
    chownSync(place, uid, gid);
    if (!lstatSync(place).isDirectory()) continue;
    giveTo({ uid, gid }, ...readdirSync(place).map((name) => path.join(place, name)));
  }
}
