/** Runs the client against the services on the local network: what an account holds, what it runs, and how that is revoked. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createPublicClient, createWalletClient, defineChain, http } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as Sdk from "../../src/sdk/index.ts"
import { freshOwner, Services } from "../support/Services.ts"
import { POLL, requestFor, setUp } from "./NetworkScene.ts"

layer(Services.layer(), { excludeTestServices: true })("Accounts on the local network", (it) => {
  it.effect("says what an owner holds and what of it is worth sweeping", () =>
    Effect.gen(function* () {
      const { alpha, sweeps } = yield* setUp(5)
      const owner = yield* freshOwner(alpha, "DAI", "12")
      const held = yield* Effect.promise(() => sweeps.portfolio(owner.address))
      assert.deepStrictEqual(
        held.tokens.map(({ balance, chainId, symbol }) => ({ balance, chainId, symbol })),
        [{ balance: 12n * 10n ** 18n, chainId: alpha.info.id, symbol: "DAI" }]
      )
      const worth = yield* Effect.promise(() => sweeps.sweepable(owner.address))
      assert.deepStrictEqual(
        worth.tokens.map(({ delegation, sweepable }) => ({ delegation, sweepable })),
        [{ delegation: "none", sweepable: true }]
      )
    })
  )

  it.effect("takes a delegation back, by a sender that pays or by the owner itself", () =>
    Effect.gen(function* () {
      const { alpha, services, sweeps } = yield* setUp(6)
      const chainId = alpha.info.id
      const node = createPublicClient({ transport: http(alpha.dev.rpcUrl), pollingInterval: 200 })
      const owner = yield* freshOwner(alpha, "DAI", "40")
      yield* Effect.promise(() => sweeps.sweep(requestFor(owner, alpha, "DAI", "40", "USDC"), owner, POLL))
      const rich = services.info.accounts[2]
      if (rich === undefined) return assert.fail("the network has no funded account")
      const transport = http(alpha.dev.rpcUrl)
      const chain = defineChain({
        id: chainId,
        name: alpha.info.name,
        nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
        rpcUrls: { default: { http: [alpha.dev.rpcUrl] } }
      })
      const payer = createWalletClient({ account: privateKeyToAccount(rich.privateKey), chain, transport })
      yield* Effect.promise(() => sweeps.revokeDelegation({ owner, sender: payer, chainId, node }))
      assert.deepStrictEqual(yield* Effect.promise(() => sweeps.delegation(owner.address, { chainId, node })), {
        kind: "none"
      })

      yield* alpha.dev.fund(owner.address as Parameters<typeof alpha.dev.fund>[0], {
        token: "DAI",
        amount: 40n * 10n ** 18n
      })
      yield* Effect.promise(() => sweeps.sweep(requestFor(owner, alpha, "DAI", "40", "USDC"), owner, POLL))
      yield* Effect.promise(async () => {
        await node.waitForTransactionReceipt({
          hash: await payer.sendTransaction({ to: owner.address, value: 10n ** 17n })
        })
      })
      const self = createWalletClient({ account: owner, chain, transport })
      yield* Effect.promise(() => sweeps.revokeDelegation({ owner, sender: self, chainId }))
      assert.deepStrictEqual(yield* Effect.promise(() => sweeps.delegation(owner.address, { chainId })), {
        kind: "none"
      })
    })
  )

  it.effect("tells a contract from an account, and a missing node from both", () =>
    Effect.gen(function* () {
      const { alpha, sweeps } = yield* setUp(7)
      assert.deepStrictEqual(
        yield* Effect.promise(() => sweeps.delegation(alpha.info.guard, { chainId: alpha.info.id })),
        { kind: "contract" }
      )
      const failure = (options: { readonly chainId: number; readonly node?: string }) =>
        Effect.promise(() => sweeps.delegation(alpha.info.guard, options).catch((error: unknown) => error))
      assert.instanceOf(yield* failure({ chainId: 99 }), Sdk.UsageError)
      assert.instanceOf(yield* failure({ chainId: 99, node: "http://127.0.0.1:1" }), Sdk.NodeError)
    })
  )
})
