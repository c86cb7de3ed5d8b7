/**
 * Makes `toEqual` and its relatives compare two buffers at once. Jest compares them byte by byte, each as a property with a
 * name, which takes seconds per megabyte.
 */
expect.addEqualityTesters([
  (left, right) => (Buffer.isBuffer(left) && Buffer.isBuffer(right) ? left.equals(right) : undefined),
]);
