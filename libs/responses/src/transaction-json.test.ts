import { renderSignature, renderStatus } from './transaction-json';

describe('renderSignature', () => {
  it('renders base58', () => {
    expect(renderSignature(Buffer.concat([Buffer.from([1]), Buffer.alloc(65, 3)]))).toMatch(/^SIG_R1_[1-9A-Za-z]+$/);
  });

  it('renders a signature that is too long for base58 as hex', () => {
    const long = Buffer.alloc(10_000, 2);
    expect(renderSignature(long)).toBe(long.toString('hex'));
  });
});

describe('renderStatus', () => {
  it('names the statuses of the chain', () => {
    expect([0, 1, 2, 3, 4, 5].map(renderStatus)).toEqual([
      'executed',
      'soft_fail',
      'hard_fail',
      'delayed',
      'expired',
      '5',
    ]);
  });
});
