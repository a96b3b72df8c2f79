/** Batches that the vault's key does not pay, on a local chain: each with its reason, before anything is signed. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { parseAbi, toFunctionSelector } from "viem"
import { generatePrivateKey } from "viem/accounts"
import { ScreeningBlocked } from "../../../src/ports/shared/Screening.ts"
import { backend, owing, run, said, VAULT } from "./PayoutScene.ts"

layer(backend, { excludeTestServices: true })("not paying a batch with the vault's key", (it) => {
  it.effect("refuses, before anything is signed, what cannot or must not be paid", () =>
    Effect.gen(function* () {
      const poor = yield* owing("DAI", [10n ** 30n], 0n)
      assert.include(said((yield* run(poor.id)).exit), "the batch pays 1000000000000000000000000000000")

      const { builderIds, dev, desk, id, wallets } = yield* owing("WBTC", [4n, 5n], 9n)
      const stranger = yield* run(id, { key: generatePrivateKey() })
      assert.include(said(stranger.exit), `vault is ${VAULT.address}`)
      const listed = yield* run(id, {
        screening: (_, addresses) =>
          addresses.includes(wallets[1] ?? VAULT.address)
            ? Effect.fail(new ScreeningBlocked({ cause: "listed" }))
            : Effect.void
      })
      assert.include(said(listed.exit), `screening does not clear ${builderIds[1]} (${wallets[1]})`)
      const gasless = yield* run(id, { client: () => ({ balance: () => Effect.succeed(1n) }) })
      assert.include(said(gasless.exit), "wei of ETH for gas")
      const delegated = yield* run(id, { client: () => ({ code: () => Effect.succeed("0xef0100") }) })
      assert.include(said(delegated.exit), "has code")
      assert.isUndefined((yield* desk.get(id)).payments)

      const blocklisted = yield* owing("BLK", [6n, 7n], 13n)
      yield* dev.node.ask("block a builder", async (node) => {
        await node.impersonateAccount({ address: dev.deployer.address })
        const hash = await node.writeContract({
          account: dev.deployer.address,
          address: blocklisted.token,
          abi: parseAbi(["function setBlocked(address account, bool blocked)"]),
          functionName: "setBlocked",
          args: [blocklisted.wallets[1] ?? VAULT.address, true],
          chain: null
        })
        await node.waitForTransactionReceipt({ hash })
        await node.stopImpersonatingAccount({ address: dev.deployer.address })
      })
      assert.include(
        said((yield* run(blocklisted.id)).exit),
        `the token rejects transfers to ${blocklisted.builderIds[1]} (${blocklisted.wallets[1]}): ${toFunctionSelector("Blocked(address)")}.`
      )
      const taxed = yield* owing("FOT", [1_000n], 1_000n * 2n)
      assert.include(said((yield* run(taxed.id)).exit), "would transfer less than it should")
    })
  )
})
