/** Runs of the payout command against a local chain with real tokens and the real Permit2. */
import { Cause, Effect, Exit, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { createPublicClient, erc20Abi, http, parseTransaction } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as RawKey from "../../../src/adapters/evm/keys/RawKey.ts"
import * as VaultAccount from "../../../src/adapters/evm/keys/VaultAccount.ts"
import * as MemoryStores from "../../../src/adapters/memory/builder/Stores.ts"
import { BuilderSettings } from "../../../src/builder/shared/BuilderSettings.ts"
import { builderDefaults } from "../../../src/config/Builder.ts"
import { PayoutDesk } from "../../../src/builder/payout/PayoutDesk.ts"
import { type PaymentProgress, PayoutSender } from "../../../src/builder/payout/PayoutSender.ts"
import * as Accounts from "../../../src/devnet/Accounts.ts"
import type { DevChain } from "../../../src/devnet/DevChain.ts"
import type * as Tokens from "../../../src/devnet/Tokens.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hash } from "../../../src/domain/Hex.ts"
import { Builders } from "../../../src/ports/builder/Builders.ts"
import { Chains, type ChainClient } from "../../../src/ports/shared/Chains.ts"
import { Ledger } from "../../../src/ports/builder/Ledger.ts"
import { PayoutRegister, RegisterUnavailable } from "../../../src/ports/builder/PayoutRegister.ts"
import { Screening } from "../../../src/ports/shared/Screening.ts"
import * as Local from "../../support/OneChain.ts"

export const VAULT = Accounts.builderVault()

/** The backend on memory stores, and a local chain. */
export const backend = PayoutDesk.layer.pipe(
  Layer.provideMerge(MemoryStores.layer),
  Layer.provideMerge(Local.chains),
  Layer.provide([BuilderSettings.layer(builderDefaults), SecureRandom.layerWebCrypto]),
  Layer.provide(Layer.succeed(Screening, { clear: () => Effect.void }))
)

/** The step after which a run is cut off. */
type Moment = "signed" | "recorded" | "broadcast" | "mined" | "booked" | "never"

const powerCut = Effect.die(new Error("the power is gone"))

const OPTIONS = { pollMillis: 20, patienceMillis: 15_000 }

/** The register on a desk in the same process, whose client dies at a moment. */
export const registerOn = (desk: PayoutDesk["Service"], dies: Moment = "never"): Layer.Layer<PayoutRegister> => {
  const unavailable = (error: { readonly message: string }) => new RegisterUnavailable({ detail: error.message })
  return Layer.succeed(PayoutRegister, {
    get: (batch) => desk.get(batch).pipe(Effect.catchTag("StoreUnavailable", (e) => Effect.fail(unavailable(e)))),
    record: (batch, raw, known) =>
      (dies === "signed" ? powerCut : desk.record(batch, raw, known, "test")).pipe(
        Effect.tap(dies === "recorded" ? powerCut : Effect.void),
        Effect.catchTags({
          BadPayment: (e) => Effect.fail(unavailable(e)),
          ChainUnavailable: (e) => Effect.fail(unavailable(e)),
          RestoreUnreconciled: (e) => Effect.fail(unavailable(e)),
          StoreUnavailable: (e) => Effect.fail(unavailable(e)),
          UnsupportedChain: (e) => Effect.fail(unavailable(e))
        })
      ),
    markPaid: (batch, txHash) =>
      (dies === "mined" ? powerCut : desk.markPaid(batch, txHash, "test")).pipe(
        Effect.tap(dies === "booked" ? powerCut : Effect.void),
        Effect.catchTags({
          ChainUnavailable: (e) => Effect.fail(unavailable(e)),
          StoreUnavailable: (e) => Effect.fail(unavailable(e)),
          UnsupportedChain: (e) => Effect.fail(unavailable(e))
        })
      )
  })
}

/** One run of the command, as on another machine. */
export const run = Effect.fnUntraced(function* (
  id: string,
  options: {
    readonly dies?: Moment
    readonly key?: Hash
    readonly client?: (client: ChainClient) => Partial<ChainClient>
    readonly screening?: Screening["Service"]["clear"]
    readonly bumpMillis?: number
  } = {}
) {
  const dies = options.dies ?? "never"
  const desk = yield* PayoutDesk
  const real = yield* Chains
  const changed = (client: ChainClient): ChainClient => ({
    ...client,
    ...(dies === "broadcast"
      ? { send: (raw) => client.send(raw).pipe(Effect.tap(isPayment(client, raw) ? powerCut : Effect.void)) }
      : {}),
    ...options.client?.(client)
  })
  const chains = Layer.succeed(Chains, {
    all: real.all.map(changed),
    get: (chainId) => Effect.map(real.get(chainId), changed)
  })
  const progress: Array<PaymentProgress> = []
  const exit = yield* Effect.flatMap(PayoutSender, ({ send }) =>
    send(id, (event) => Effect.sync(() => progress.push(event)))
  ).pipe(
    Effect.provide(
      PayoutSender.layer({
        ...OPTIONS,
        ...(options.bumpMillis === undefined ? {} : { bumpMillis: options.bumpMillis })
      }).pipe(
        Layer.provide([
          registerOn(desk, dies),
          chains,
          VaultAccount.layer(RawKey.account(Redacted.make(options.key ?? VAULT.privateKey))),
          Layer.succeed(Screening, { clear: options.screening ?? (() => Effect.void) })
        ])
      )
    ),
    Effect.exit
  )
  return { exit, progress, tags: progress.map(({ _tag }) => _tag) }
})

const isPayment = ({ chain }: ChainClient, raw: `0x${string}`): boolean => {
  const { to } = parseTransaction(raw)
  return typeof to === "string" && Address.of(to) === chain.permit2
}

/** The error that a run failed with. */
export const said = <A, E>(exit: Exit.Exit<A, E>): string =>
  Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "succeeded"

let opened = 0

/** Opens a batch that owes each amount to another builder, and funds the vault with `funds`. Default: enough for the batch. */
export const owing = Effect.fnUntraced(function* (
  symbol: Tokens.Symbol,
  amounts: ReadonlyArray<bigint>,
  funds = amounts.reduce((sum, amount) => sum + amount, 0n)
) {
  const dev = yield* Local.OneChain
  const builders = yield* Builders
  const ledger = yield* Ledger
  const desk = yield* PayoutDesk
  const token = dev.tokens[symbol]
  opened += 1
  const builderIds = amounts.map((_, index) => `builder_${opened}_${index}`)
  const wallets = yield* Effect.forEach(amounts, (amount, index) =>
    Effect.gen(function* () {
      const id = builderIds[index] ?? "unknown"
      const payoutAddress = Address.of(privateKeyToAccount(generatePrivateKey()).address)
      yield* builders.create({
        id,
        name: id,
        builderBps: 0,
        maxBuilderBps: 0,
        payoutAddress,
        payoutMode: "ledger",
        createdAtMs: 0
      })
      yield* ledger.accrue({ builderId: id, sweepId: `sweep_${id}`, token, amount, chainId: dev.chain.id })
      return payoutAddress
    })
  )
  if (funds > 0n) yield* dev.fund(VAULT.address, { token: symbol, amount: funds })
  const batch = yield* desk.open({ chainId: dev.chain.id, token, minAmount: 0n }, "test")
  const balances = Effect.promise(() => Promise.all(wallets.map((wallet) => balanceOf(dev, token, wallet))))
  return { id: batch.id, builderIds, dev, token, wallets, balances, desk }
})

/** Balance of an account, in the token's smallest unit. */
export const balanceOf = (dev: DevChain, token: Address.Address, account: Address.Address) =>
  createPublicClient({ transport: http(dev.rpcUrl) }).readContract({
    address: token,
    abi: erc20Abi,
    functionName: "balanceOf",
    args: [account]
  })
