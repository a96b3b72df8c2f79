import { assert, describe, it } from "@effect/vitest"
import * as UrlSecrets from "../../../../src/adapters/evm/rpc/UrlSecrets.ts"

describe("a text about an endpoint", () => {
  it("has no key of its URL", () => {
    const url = "https://someone:password-of-12@node.example/v2/key-of-the-operator?apikey=another%20long%20key"
    const hide = UrlSecrets.hiding(url)
    assert.strictEqual(
      hide(`no access: ${url}, key-of-the-operator, another long key, password-of-12`),
      "no access: https://someone:[hidden]@node.example/v2/[hidden]?apikey=[hidden], [hidden], [hidden], [hidden]"
    )
  })

  it("is the same without one", () => {
    assert.strictEqual(UrlSecrets.hiding("https://node.example/v2/mainnet")("mainnet v2"), "mainnet v2")
    assert.strictEqual(UrlSecrets.hiding("no url")("no url"), "no url")
  })
})
