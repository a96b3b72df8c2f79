/** Names of keys in key management services (KMS), as settings hold them. */
import { Option, Schema, SchemaTransformation } from "effect"

export const KmsKey = Schema.Union([
  Schema.Struct({
    provider: Schema.Literal("aws"),
    region: Schema.String,
    /** ARN, key id or alias. */
    keyId: Schema.String
  }),
  Schema.Struct({
    provider: Schema.Literal("gcp"),
    /** Resource name of the key's version. */
    version: Schema.String
  })
])
export type KmsKey = typeof KmsKey.Type

/** Accepted forms, for people. */
export const FORMS =
  "`aws:<ARN of a key or alias>`, `aws:<region>:<key id or alias/name>` or `gcp:<resource name of a key version>`"

const AWS_ARN = /^aws:(arn:aws[a-z-]*:kms:([a-z0-9-]+):[0-9]{12}:(?:key|alias)\/[A-Za-z0-9/_-]{1,256})$/
const AWS_ID =
  /^aws:([a-z]{2}[a-z0-9-]*-[0-9]):(alias\/[A-Za-z0-9/_-]{1,256}|mrk-[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/
const GCP =
  /^gcp:(projects\/[a-z0-9.:-]+\/locations\/[a-z0-9-]+\/keyRings\/[\w-]+\/cryptoKeys\/[\w-]+\/cryptoKeyVersions\/[1-9][0-9]*)$/

/** Parses the text of a setting. None if it has none of the accepted forms. */
export const parse = (text: string): Option.Option<KmsKey> => {
  const [, arn, arnRegion] = AWS_ARN.exec(text) ?? []
  if (arn !== undefined && arnRegion !== undefined) {
    return Option.some({ provider: "aws", region: arnRegion, keyId: arn })
  }
  const [, region, keyId] = AWS_ID.exec(text) ?? []
  if (region !== undefined && keyId !== undefined) return Option.some({ provider: "aws", region, keyId })
  const version = GCP.exec(text)?.[1]
  return version === undefined ? Option.none() : Option.some({ provider: "gcp", version })
}

/** Text of a setting. It may have space around it. */
export const FromText = Schema.String.check(
  Schema.makeFilter((text: string) => Option.isSome(parse(text.trim())) || `expected ${FORMS}`)
).pipe(
  Schema.decodeTo(
    KmsKey,
    SchemaTransformation.transform({
      decode: (text) => Option.getOrThrow(parse(text.trim())),
      encode: (key) => textOf(key)
    })
  )
)

/** Text of a key, which {@link parse} reads again. */
export const textOf = (key: KmsKey): string => {
  if (key.provider === "gcp") return `gcp:${key.version}`
  return key.keyId.startsWith("arn:") ? `aws:${key.keyId}` : `aws:${key.region}:${key.keyId}`
}
