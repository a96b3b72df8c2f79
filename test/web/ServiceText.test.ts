/** Names and links that a service sends are shown as what they are. */
import { assert, describe, it } from "@effect/vitest"
import type { Address, ServedChain } from "../../src/sdk/index.ts"
import { account, transaction } from "../../src/web/lib/explorer.ts"
import { makeCatalog } from "../../src/web/sweep/catalog.ts"

const ADDRESS: Address = `0x${"a".repeat(40)}`

const chain = (name: string, nativeSymbol: string): ServedChain => ({
  id: 1,
  name,
  nativeSymbol,
  wrappedNative: ADDRESS,
  contracts: { delegate: ADDRESS, guard: ADDRESS, entry: ADDRESS },
  blockTimeMillis: 1_000,
  confirmations: 1,
  features: { source: true, swap: true, bridgeDestinations: [], swapBeforeBridge: false }
})

describe("a link to an explorer", () => {
  it("leads to a website, or is none", () => {
    assert.strictEqual(transaction({ explorerUrl: "https://scan.example/" }, "0x1"), "https://scan.example/tx/0x1")
    assert.strictEqual(account({ explorerUrl: "http://localhost:5100" }, "0x1"), "http://localhost:5100/address/0x1")
    for (const explorerUrl of [
      "javascript:alert(1)//",
      " javascript:alert(1)//",
      "data:text/html,hi",
      "//scan.example"
    ]) {
      assert.isUndefined(transaction({ explorerUrl }, "0x1"), explorerUrl)
    }
    assert.isUndefined(transaction(undefined, "0x1"))
  })
})

describe("a chain of a service", () => {
  it("has a name and a symbol that do not change the text around them", () => {
    const catalog = makeCatalog(
      [chain("ba\u202ese", "E\u202eTH"), { ...chain("x".repeat(90), "y".repeat(90)), id: 2 }],
      []
    )
    assert.strictEqual(catalog.chainName(1), "Base")
    assert.strictEqual(catalog.chain(1)?.nativeSymbol, "ETH")
    assert.isBelow(catalog.chainName(2).length, 61)
    assert.isBelow(catalog.chain(2)?.nativeSymbol.length ?? 99, 15)
  })
})
