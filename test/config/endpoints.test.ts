// Addresses of API servers in sluice.yaml.
import { describe, expect, it } from 'vitest';
import { endpointSchema } from '../../lib/config/clusterSchema.ts';

describe('an endpoint', () => {
  it.each([
    'https://a',
    'https://api.example.com:6443/',
    'https://10.0.0.1',
    'https://[fd00::1]:443',
    'https://0123456789ABCDEF.gr7.eu-west-1.eks.amazonaws.com',
    'https://a_b.example.com.',
  ])('%s is accepted as the address of an API server', (text) => {
    expect(endpointSchema.safeParse(text).success).toBe(true);
  });

  it.each([
    'https://a..b',
    'https://-a',
    'https://a-',
    'https://a.example.com:0',
    'https://a.example.com:',
    'https://a.example.com:65536',
    'https://1.2.3',
    'https://1.2.3.256',
    'https://[a',
    'https://a/b',
    'http://a',
    'https://',
  ])('%s is refused, because no API server has it', (text) => {
    expect(endpointSchema.safeParse(text).success).toBe(false);
  });
});
