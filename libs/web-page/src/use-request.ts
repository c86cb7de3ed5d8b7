import { useEffect, useState } from 'preact/hooks';
import type { Api, ApiRequest, Path, RequestError, ResponseOf } from './api.js';

/** A request in progress keeps the last response of the same request: a refreshed view does not flicker. */
export type Requested<T> =
  { state: 'waiting' } | { state: 'failed'; error: RequestError } | { state: 'done'; response: T };

/** Whether the same request can succeed later: the item may be indexed (404), the service may recover (0, 429, 5xx). */
function mayChange({ status }: RequestError): boolean {
  return status === 0 || status === 404 || status === 429 || status >= 500;
}

/**
 * Sends a request when it changes, and again every `everyMs` while `isFinal` does not say that its response cannot change and
 * while the page is visible.
 */
export function useRequest<P extends Path>(
  api: Api,
  request: ApiRequest<P>,
  everyMs: number,
  isFinal: (response: ResponseOf<P>) => boolean = () => false,
): Requested<ResponseOf<P>> {
  const key = JSON.stringify(request);
  const [result, setResult] = useState<{ key: string; requested: Requested<ResponseOf<P>> }>();
  useEffect(() => {
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (requested: Requested<ResponseOf<P>>): void => setResult({ key, requested });
    const load = async (): Promise<void> => {
      let done = false;
      try {
        const response = await api.send(JSON.parse(key) as ApiRequest<P>, leaving.signal);
        if (leaving.signal.aborted) return;
        done = isFinal(response);
        show({ state: 'done', response });
      } catch (error) {
        if (leaving.signal.aborted) return;
        show({ state: 'failed', error: error as RequestError });
        done = !mayChange(error as RequestError);
      }
      if (!done) timer = setTimeout(loadWhenVisible, everyMs);
    };
    const loadWhenVisible = (): void => {
      if (document.visibilityState === 'visible') void load();
      else timer = setTimeout(loadWhenVisible, everyMs);
    };
    void load();
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [api, key, everyMs]);
  return result?.key === key ? result.requested : { state: 'waiting' };
}
