/** The first segments of the gateway's own paths, which a path prefix or a chain of such a name would hide. */
export const OWN_PATHS = ['docs', 'health', 'live', 'metrics', 'page', 'status', 'v1'];
