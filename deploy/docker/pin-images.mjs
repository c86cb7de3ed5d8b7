import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * `node deploy/docker/pin-images.mjs [--check] [FOLDER]`: adds the digest of each third-party image to its tag in the files
 * of deploy/: `redis:7.4.5-bookworm@sha256:…`. A tag can move to another image, a digest cannot. It reads the digests from
 * the registries with `docker buildx imagetools inspect`; run it again to update them. `--check` needs no network: it lists
 * the images without a digest and exits with 1 if there are any.
 */
const FILES = ['docker/Dockerfile', 'compose.yaml', 'compose.services.yaml', 'kubernetes/servers.yaml'];
/** `image: NAME:TAG` or `FROM NAME:TAG`, with or without a digest. The project's own images are built, not pulled. */
const REFERENCE = /(?<=^FROM |^\s+image: )(?!antelope-history\/)([\w./-]+:[\w.-]+)(@sha256:[0-9a-f]{64})?/gm;

const args = process.argv.slice(2);
const isCheck = args.includes('--check');
const root = path.resolve(args.find((arg) => arg !== '--check') ?? path.join(import.meta.dirname, '..'));
const texts = new Map(FILES.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));

if (isCheck) check();
else pin();

function check() {
  for (const [file, text] of texts) {
    for (const [, image, digest] of text.matchAll(REFERENCE)) {
      if (digest) continue;
      process.stdout.write(`${file}: ${image} has no digest\n`);
      process.exitCode = 1;
    }
  }
}

function pin() {
  const images = new Set(
    [...texts.values()].flatMap((text) => [...text.matchAll(REFERENCE)].map(([, image]) => image)),
  );
  const digests = new Map([...images].map((image) => [image, resolve(image)]));
  for (const [file, text] of texts) {
    writeFileSync(
      path.join(root, file),
      text.replace(REFERENCE, (_, image) => `${image}@${digests.get(image)}`),
    );
  }
  for (const [image, digest] of digests) process.stdout.write(`${image}@${digest}\n`);
}

/** The digest of the manifest list, which covers all platforms of the image. */
function resolve(image) {
  const command = ['buildx', 'imagetools', 'inspect', image, '--format', '{{json .Manifest}}'];
  const { error, status, stdout, stderr } = spawnSync('docker', command, { encoding: 'utf8' });
  if (error) throw error;
  const digest = status === 0 ? JSON.parse(stdout).digest : undefined;
  if (!/^sha256:[0-9a-f]{64}$/.test(digest ?? ''))
    throw new Error(`${image}: ${stderr || 'the registry returned no digest'}`);
  return digest;
}
