import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option } from "effect"
import { treasury } from "../../src/config/orchestrator/Treasury.ts"

const parsed = (FEE_RECIPIENT_KMS_KEY: string) =>
  treasury.feeRecipientKmsKey.config.parse(ConfigProvider.fromEnv({ env: { FEE_RECIPIENT_KMS_KEY } }))

const ID = "1234abcd-12ab-34cd-56ef-1234567890ab"
const VERSION = "projects/example/locations/europe-west3/keyRings/sweep/cryptoKeys/fees/cryptoKeyVersions/1"

describe("FEE_RECIPIENT_KMS_KEY", () => {
  it.effect("names a key of AWS KMS or a key version of Google Cloud KMS", () =>
    Effect.gen(function* () {
      const arn = `arn:aws:kms:eu-central-1:111122223333:key/${ID}`
      const aliasArn = "arn:aws-cn:kms:cn-north-1:111122223333:alias/sweep/fees"
      for (const [text, key] of [
        [`aws:${arn}`, { provider: "aws", region: "eu-central-1", keyId: arn }],
        [`aws:${aliasArn}`, { provider: "aws", region: "cn-north-1", keyId: aliasArn }],
        [`aws:us-gov-west-1:${ID}`, { provider: "aws", region: "us-gov-west-1", keyId: ID }],
        ["aws:eu-central-1:alias/fees", { provider: "aws", region: "eu-central-1", keyId: "alias/fees" }],
        [` gcp:${VERSION} `, { provider: "gcp", version: VERSION }]
      ] as const) {
        assert.deepStrictEqual(yield* parsed(text), Option.some(key), text)
      }
    })
  )

  it.effect("is refused in any other form, and not quoted", () =>
    Effect.gen(function* () {
      const privateKey = `0x${"5ec4e7".repeat(10)}5ec4`
      for (const text of [
        privateKey,
        `aws:${privateKey}`,
        "aws:alias/fees",
        `arn:aws:kms:eu-central-1:111122223333:key/${ID}`,
        `aws:arn:aws:s3:eu-central-1:111122223333:key/${ID}`,
        "aws:eu-central-1:fees",
        VERSION,
        `gcp:${VERSION}/../2`,
        `gcp:${VERSION.replace("sweep", "..")}`,
        `gcp:${VERSION.replace("/cryptoKeyVersions/1", "")}`
      ]) {
        const { message } = yield* Effect.flip(parsed(text))
        assert.include(message, "expected `aws:<ARN of a key or alias>`", text)
        assert.notInclude(message, "5ec4e7")
      }
    })
  )
})
