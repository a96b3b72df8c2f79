/** A key of a key management service (KMS), and the protocols of AWS KMS and Google Cloud KMS over it. */
import { createHash, createHmac } from "node:crypto"
import { Secp256k1 } from "ox"
import { privateKeyToAccount } from "viem/accounts"
import * as Address from "../../src/domain/Address.ts"
import type { Hex } from "../../src/domain/Hex.ts"
import type { Answer, Seen } from "./StubServer.ts"

const { CURVE, getPublicKey, Signature, sign } = Secp256k1.noble

const SPKI_PREFIX = "3056301006072a8648ce3d020106052b8104000a034200"

const bytesOf = (hex: Hex): Buffer => Buffer.from(hex.slice(2), "hex")

export interface FakeKey {
  readonly account: Address.Address
  /** SubjectPublicKeyInfo in DER. */
  readonly publicKey: Buffer
  /** ECDSA signature in DER. Every second one has a high `s`, and no two of one digest are equal. */
  readonly sign: (digest: Uint8Array) => Buffer
}

export const keyOf = (privateKey: Hex): FakeKey => {
  const secret = bytesOf(privateKey)
  let signed = 0
  return {
    account: Address.of(privateKeyToAccount(privateKey).address),
    publicKey: Buffer.concat([Buffer.from(SPKI_PREFIX, "hex"), getPublicKey(secret, false)]),
    sign: (digest) => {
      const { r, s } = sign(digest, secret, { lowS: true, extraEntropy: true })
      const isHigh = signed++ % 2 === 0
      return Buffer.from(new Signature(r, isHigh ? CURVE.n - s : s).toDERRawBytes())
    }
  }
}

export const pemOf = (publicKey: Buffer): string =>
  `-----BEGIN PUBLIC KEY-----\n${publicKey.toString("base64").replaceAll(/(.{64})/g, "$1\n")}\n-----END PUBLIC KEY-----\n`

export const AWS = {
  region: "eu-central-1",
  keyId: "alias/fees",
  environment: { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "example secret" }
} as const

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest()

const SIGV4 =
  /^AWS4-HMAC-SHA256 Credential=(.+?)\/(\d{8})\/(.+?)\/kms\/aws4_request, SignedHeaders=(.+?), Signature=(.+)$/

/** True if the request is signed by the test's credentials (Signature Version 4). */
const isSigned = ({ body, headers, method, path }: Seen): boolean => {
  const [, keyId, day = "", region = "", names = "", signature] = SIGV4.exec(headers.get("authorization") ?? "") ?? []
  const canonical = [
    method,
    path,
    "",
    ...names.split(";").map((name) => `${name}:${headers.get(name)?.trim()}`),
    "",
    names,
    sha256(body)
  ].join("\n")
  const scope = `${day}/${region}/kms/aws4_request`
  const text = ["AWS4-HMAC-SHA256", headers.get("x-amz-date"), scope, sha256(canonical)].join("\n")
  const secret = `AWS4${AWS.environment.AWS_SECRET_ACCESS_KEY}`
  const key = [day, region, "kms", "aws4_request"].reduce<string | Buffer>(hmac, secret)
  return (
    keyId === AWS.environment.AWS_ACCESS_KEY_ID &&
    region === AWS.region &&
    ["host", "x-amz-date", "x-amz-target"].every((name) => names.split(";").includes(name)) &&
    hmac(key, text).toString("hex") === signature
  )
}

const awsError = (type: string, status = 400): Answer => ({
  status,
  headers: { "content-type": "application/x-amz-json-1.1" },
  body: { __type: type, message: "example message" }
})

/** AWS KMS's answers for one key, in its JSON protocol 1.1. */
export const awsKms =
  (key: FakeKey) =>
  (seen: Seen): Answer => {
    if (seen.method !== "POST" || seen.headers.get("content-type") !== "application/x-amz-json-1.1") {
      return awsError("SerializationException")
    }
    if (!isSigned(seen)) return awsError("InvalidSignatureException")
    const request = JSON.parse(seen.body) as Readonly<Record<string, string>>
    if (request["KeyId"] !== AWS.keyId) return awsError("NotFoundException")
    const common = { KeyId: `arn:aws:kms:${AWS.region}:111122223333:key/example` }
    switch (seen.headers.get("x-amz-target")) {
      case "TrentService.GetPublicKey":
        return {
          status: 200,
          body: {
            ...common,
            KeySpec: "ECC_SECG_P256K1",
            KeyUsage: "SIGN_VERIFY",
            PublicKey: key.publicKey.toString("base64"),
            SigningAlgorithms: ["ECDSA_SHA_256"]
          }
        }
      case "TrentService.Sign": {
        const digest = Buffer.from(request["Message"] ?? "", "base64")
        if (request["MessageType"] !== "DIGEST" || request["SigningAlgorithm"] !== "ECDSA_SHA_256") {
          return awsError("ValidationException")
        }
        if (digest.length !== 32) return awsError("ValidationException")
        const Signature = key.sign(digest).toString("base64")
        return { status: 200, body: { ...common, Signature, SigningAlgorithm: "ECDSA_SHA_256" } }
      }
      default:
        return awsError("UnknownOperationException")
    }
  }

export const throttled = awsError("ThrottlingException")

export const GCP = {
  version: "projects/example/locations/europe-west3/keyRings/sweep/cryptoKeys/fees/cryptoKeyVersions/1",
  metadataPath: "/computeMetadata/v1/instance/service-accounts/default/token",
  tokenPath: "/token",
  token: "example-token"
} as const

/** CRC32C (RFC 3720, appendix B.4) bit by bit, in decimal digits. */
const crc32c = (bytes: Uint8Array): string => {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
  }
  return String((crc ^ 0xffffffff) >>> 0)
}

/** Google Cloud KMS's answers for one key, and those of the metadata server and of the service of tokens. */
export const gcpKms = (key: FakeKey, changes: Readonly<Record<string, unknown>> = {}) => {
  const pem = pemOf(key.publicKey)
  const pemCrc32c = crc32c(Buffer.from(pem))
  return ({ body, headers, method, path }: Seen): Answer => {
    if (path === GCP.metadataPath) {
      return headers.get("metadata-flavor") === "Google"
        ? { status: 200, body: { access_token: GCP.token, expires_in: 3_599, token_type: "Bearer" } }
        : { status: 403 }
    }
    if (path === GCP.tokenPath) {
      return { status: 200, body: { access_token: GCP.token, expires_in: 3_599, token_type: "Bearer" } }
    }
    if (headers.get("authorization") !== `Bearer ${GCP.token}`) return { status: 401 }
    if (method === "GET" && path === `/v1/${GCP.version}/publicKey`) {
      const algorithm = "EC_SIGN_SECP256K1_SHA256"
      return { status: 200, body: { name: GCP.version, algorithm, pem, pemCrc32c, ...changes } }
    }
    if (method !== "POST" || path !== `/v1/${GCP.version}:asymmetricSign`) return { status: 404 }
    const request = JSON.parse(body) as { readonly digest: { readonly sha256: string }; readonly digestCrc32c: string }
    const digest = Buffer.from(request.digest.sha256, "base64")
    if (digest.length !== 32 || request.digestCrc32c !== crc32c(digest)) return { status: 400 }
    const signature = key.sign(digest)
    return {
      status: 200,
      body: {
        name: GCP.version,
        signature: signature.toString("base64"),
        signatureCrc32c: crc32c(signature),
        verifiedDigestCrc32c: true,
        ...changes
      }
    }
  }
}
