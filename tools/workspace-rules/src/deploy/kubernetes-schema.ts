import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';

/** The kinds that `deploy/kubernetes` uses, with validators compiled from the OpenAPI document of Kubernetes. */
const MODELS = [
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  Secret,
  Service,
  StatefulSet,
];

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
}

/** The errors of a manifest: what the API server would reject, and keys that it does not know and would ignore. */
export function findManifestErrors(manifest: Manifest): string[] {
  const { apiVersion, kind } = manifest;
  const model = MODELS.find((each) => each.apiVersion === apiVersion && each.kind === kind);
  if (!model) return [`${apiVersion} ${kind} is an unknown kind`];
  const { watched, unread } = watchReads(manifest);
  try {
    (model.prototype as { validate(): void }).validate.call(watched);
  } catch (error) {
    return [(error as Error).message];
  }
  return [...unread].map((key) => `${key}: no such key`);
}

/**
 * The validators ignore keys that they do not know, as the document allows. They read each key that they know: a key that
 * was never read is unknown.
 */
function watchReads(value: object): { watched: object; unread: Set<string> } {
  const unread = new Set<string>();
  const seen = new Map<string, unknown>();

  function watch(inner: unknown, path: string): unknown {
    if (typeof inner !== 'object' || inner === null) return inner;
    const known = seen.get(path);
    if (known) return known;
    if (!Array.isArray(inner)) for (const key of Object.keys(inner)) unread.add(`${path}/${key}`);
    const proxy = new Proxy(inner, {
      get(target, key) {
        if (typeof key === 'symbol') return Reflect.get(target, key) as unknown;
        unread.delete(`${path}/${key}`);
        return watch(Reflect.get(target, key), `${path}/${key}`);
      },
    });
    seen.set(path, proxy);
    return proxy;
  }

  return { watched: watch(value, '') as object, unread };
}
