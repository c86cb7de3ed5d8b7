/** Replaces `lmdb` in tests: see jest.environment.cjs. */
module.exports = globalThis.lmdbOfTheProcess;
