import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result, Schema } from "effect"
import { numberToHex } from "viem"
import * as Address from "../../src/domain/Address.ts"
import * as KeyReference from "../../src/domain/KeyReference.ts"
import { Account, address as accountOf, Uint256 } from "./Arbitraries.ts"

const address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
const Path = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_./-]{1,40}$/))
const Kind = Schema.Literals(["keystore", "aws", "gcp", "remote"])

/** A reference of a kind; without an account if there is none. */
const referenceOf = (
  kind: typeof Kind.Type,
  [file, passphraseFile]: readonly [string, string | undefined],
  account: bigint | undefined
): KeyReference.KeyReference => {
  const given = account === undefined ? {} : { address: accountOf(account + 1n) }
  switch (kind) {
    case "keystore":
      return { kind, file, ...(passphraseFile === undefined ? {} : { passphraseFile }), ...given }
    case "aws":
      return { kind: "kms", key: { provider: "aws", region: "eu-central-1", keyId: "alias/lanes/1" }, ...given }
    case "gcp": {
      const version = "projects/p/locations/europe-west3/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1"
      return { kind: "kms", key: { provider: "gcp", version }, ...given }
    }
    case "remote":
      return { kind, url: "https://signer.example:9000/{chainId}", address: accountOf((account ?? 0n) + 1n) }
  }
}

const SmallAccount = Account.check(Schema.makeFilter((each: bigint) => each < 2n ** 160n - 1n))

const parsed = (text: string) => Result.getOrThrow(KeyReference.parse(text))

describe("the place of a key", () => {
  it.prop(
    "is read again from its text",
    [Kind, Schema.Tuple([Path, Schema.UndefinedOr(Path)]), Schema.UndefinedOr(SmallAccount)],
    ([kind, files, account]) => {
      const each = referenceOf(kind, files, account)
      assert.deepStrictEqual(parsed(KeyReference.describe(each)), each)
    }
  )

  it.prop("may be the key itself, which its description does not show", [Uint256], ([number]) => {
    const key = numberToHex(number, { size: 32 })
    const each = parsed(key)
    assert(each.kind === "raw")
    assert.strictEqual(Redacted.value(each.key), key)
    assert.strictEqual(KeyReference.describe(each), "raw")
    assert.notInclude(JSON.stringify(each), key)
  })

  it("has the forms of the guide", () => {
    assert.deepStrictEqual(parsed(`keystore:/run/keys/a.json?passphrase=/run/secrets/a#${address}`), {
      kind: "keystore",
      file: "/run/keys/a.json",
      passphraseFile: "/run/secrets/a",
      address: Address.of(address)
    })
    assert.deepStrictEqual(parsed("awskms:eu-central-1:alias/lane-1"), {
      kind: "kms",
      key: { provider: "aws", region: "eu-central-1", keyId: "alias/lane-1" }
    })
    assert.deepStrictEqual(parsed(`remote:https://signer.example/{chainId}#${address.toLowerCase()}`), {
      kind: "remote",
      url: "https://signer.example/{chainId}",
      address: Address.of(address)
    })
  })

  it.each([
    "",
    "0x1234",
    "keystore:",
    "keystore:a.json?passphrase=",
    "keystore:a.json#0x12",
    `keystore:a.json#0x${"0".repeat(40)}`,
    "awskms:alias/lane",
    "gcpkms:projects/p",
    "remote:https://signer.example",
    `remote:ftp://signer.example#${address}`,
    `remote:https://user:pass@signer.example#${address}`,
    "vault:secret/key"
  ])("%s is refused", (text) => {
    assert.isTrue(Result.isFailure(KeyReference.parse(text)))
  })

  it.prop(
    "is never quoted by a refusal",
    [Schema.Literals(["", "0x", "keystore:", "remote:https://", "awskms:", "x#"]), Uint256],
    ([start, number]) => {
      const digits = numberToHex(number, { size: 32 }).slice(2)
      assert.notInclude(JSON.stringify(KeyReference.parse(`${start}${digits}#zz`)), digits)
    }
  )
})
