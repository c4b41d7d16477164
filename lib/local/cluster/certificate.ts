// Creates a self-signed server certificate (ECDSA P-256), which clients use as their CA, without external tools.
import { Buffer } from 'node:buffer';
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';
import {
  bitString,
  boolean,
  explicit,
  implicit,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  time,
  utf8String,
} from './der.ts';

export interface ServerCertificate {
  /** PEM; also the CA for clients. */
  readonly certificate: string;
  /** PEM, PKCS #8. */
  readonly privateKey: string;
}

export interface CertificateRequest {
  readonly commonName: string;
  /** DNS names and IPv4 addresses for the subject alternative name. */
  readonly hosts: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
}

const oid = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
};

/** RFC 5280 certificate, version 3. Also marked as CA, because some TLS stacks trust only CAs. */
export function selfSignedCertificate(request: CertificateRequest): ServerCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(objectIdentifier(oid.ecdsaWithSha256));
  const name = sequence(set(sequence(objectIdentifier(oid.commonName), utf8String(request.commonName))));
  const body = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([0x40]), randomBytes(15)])),
    algorithm,
    name,
    sequence(time(request.notBefore), time(request.notAfter)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, extensions(request.hosts)),
  );
  const certificate = sequence(body, algorithm, bitString(sign('sha256', body, privateKey)));
  return {
    certificate: pem(certificate),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function extensions(hosts: readonly string[]): Buffer {
  const alternativeNames = hosts.map((host) =>
    isIPv4(host) ? implicit(7, Buffer.from(host.split('.').map(Number))) : implicit(2, Buffer.from(host)),
  );
  const digitalSignatureAndCertSign = bitString(Buffer.from([0b1000_0100]), 2);
  return sequence(
    extension(oid.basicConstraints, sequence(boolean(true)), { critical: true }),
    extension(oid.keyUsage, digitalSignatureAndCertSign, { critical: true }),
    extension(oid.extendedKeyUsage, sequence(objectIdentifier(oid.serverAuth))),
    extension(oid.subjectAltName, sequence(...alternativeNames)),
  );
}

function extension(id: string, content: Buffer, options: { critical?: boolean } = {}): Buffer {
  return sequence(objectIdentifier(id), ...(options.critical ? [boolean(true)] : []), octetString(content));
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
