// Lookups in the AWS account at synthesis: EKS clusters by name.
import { DescribeClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import type { DescribeEks } from '../lib/config/connect.ts';

export function describeEks(region: string | undefined): DescribeEks {
  return async (name) => {
    const client = new EKSClient({ maxAttempts: 3, ...(region === undefined ? {} : { region }) });
    try {
      const { cluster } = await client.send(new DescribeClusterCommand({ name }));
      const { endpoint, certificateAuthority } = cluster ?? {};
      if (!endpoint || !certificateAuthority?.data) throw new Error('it has no endpoint yet');
      return { endpoint, certificateAuthority: Buffer.from(certificateAuthority.data, 'base64').toString('utf8') };
    } finally {
      client.destroy();
    }
  };
}
