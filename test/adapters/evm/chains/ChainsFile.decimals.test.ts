/** Decimals of tokens in chains files. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ChainsFile from "../../../../src/adapters/evm/chains/ChainsFile.ts"
import { KNOWN_CHAINS } from "../../../../src/catalog/KnownChains.ts"
import { address } from "../../../support/FakeChain.ts"

const entry = { id: 8453, rpcUrls: ["https://node.example"], feeRecipient: address(0xf1), guardOwner: address(0x99) }

const decode = (entries: unknown) => ChainsFile.decode("chains.json", JSON.stringify(entries))

describe("a chains file", () => {
  it.effect("refuses other decimals of a token than the catalogue has", () =>
    Effect.gen(function* () {
      const [known, ...others] = KNOWN_CHAINS[8453]?.tokens ?? []
      const listed = { ...known, address: known?.address.toLowerCase(), decimals: 7 }
      assert.strictEqual(
        (yield* Effect.flip(decode([{ ...entry, tokens: [listed, ...others] }]))).message,
        `chains file chains.json: chain 8453: the token ${known?.symbol} has ${known?.decimals} decimals, not 7`
      )
      const stranger = { chainId: 8453, address: address(0x0a), symbol: "X", name: "X", decimals: 7 }
      const [settings] = yield* decode([{ ...entry, tokens: [...(KNOWN_CHAINS[8453]?.tokens ?? []), stranger] }])
      assert.strictEqual(settings?.tokens.at(-1)?.decimals, 7)
    })
  )
})
