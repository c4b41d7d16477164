// Replaces the checksums of the AWS SDK in the bundles: the runtime has SHA-256 and MD5, so their JavaScript versions are left out.
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';

/** The SDK's interface ChecksumConstructor; with a secret, an HMAC, as request signatures need it. */
abstract class Checksum {
  readonly #begin: () => Hash | Hmac;
  #hash: Hash | Hmac;

  constructor(algorithm: 'md5' | 'sha256', secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#begin = () => (secret ? createHmac(algorithm, bytesOf(secret)) : createHash(algorithm));
    this.#hash = this.#begin();
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return new Uint8Array('copy' in this.#hash ? this.#hash.copy().digest() : this.#hash.digest());
  }

  reset(): void {
    this.#hash = this.#begin();
  }
}

export class Sha256 extends Checksum {
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    super('sha256', secret);
  }
}

export class Md5 extends Checksum {
  constructor() {
    super('md5');
  }
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): string | Uint8Array {
  if (typeof data === 'string') return data;
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
