/** Batches that the vault's key does not pay, on a local chain: each with its reason, before anything is signed. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Option } from "effect"
import { parseAbi, parseTransaction, toFunctionSelector } from "viem"
import { generatePrivateKey } from "viem/accounts"
import { TRANSACTION_GAS_CAP } from "../../../src/domain/RelayGas.ts"
import { CallReverted, type ChainClient } from "../../../src/ports/shared/Chains.ts"
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

  it.effect("refuses a batch that needs more gas than a transaction may have, before anything is recorded", () =>
    Effect.gen(function* () {
      const { balances, desk, dev, id } = yield* owing("USDC", [5n, 6n])
      const spacious = (client: ChainClient): Partial<ChainClient> => ({
        block: (which) =>
          Effect.map(client.block(which), (found) =>
            Option.map(found, (block) => ({ ...block, gasLimit: 4n * TRANSACTION_GAS_CAP }))
          )
      })
      const estimating = (gas: bigint) => (client: ChainClient) => ({
        ...spacious(client),
        estimateGas: ({ to, ...call }: Parameters<ChainClient["estimateGas"]>[0]) =>
          to === client.chain.permit2 ? Effect.succeed(gas) : client.estimateGas({ to, ...call })
      })
      const large = yield* run(id, { client: estimating(TRANSACTION_GAS_CAP + 1n) })
      assert.include(said(large.exit), "the batch has too many lines")
      const outOfGas = yield* run(id, {
        client: (client) => ({
          ...spacious(client),
          estimateGas: () =>
            Effect.fail(
              new CallReverted({
                chainId: dev.chain.id,
                data: "0x",
                detail: "gas required exceeds allowance (16777216)",
                isOutOfGas: true
              })
            )
        })
      })
      assert.include(said(outOfGas.exit), "the batch has too many lines")
      assert.isUndefined((yield* desk.get(id)).payments)

      // The margin ends at the maximum.
      const near = yield* run(id, { client: estimating(TRANSACTION_GAS_CAP - 1n) })
      assert.isTrue(Exit.isSuccess(near.exit), said(near.exit))
      const [payment] = (yield* desk.get(id)).payments ?? []
      assert.strictEqual(parseTransaction(payment?.raw ?? "0x").gas, TRANSACTION_GAS_CAP)
      assert.deepStrictEqual(yield* balances, [5n, 6n])
    })
  )
})
