/** The vault of one chain: opens batches at the builder backend, and pays them as `./sweep payouts send` does. */
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { encodeFunctionData, erc20Abi, type Hex, maxUint256 } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as EvmChains from "../../src/adapters/evm/chains/Chains.ts"
import * as RawKey from "../../src/adapters/evm/keys/RawKey.ts"
import * as VaultAccount from "../../src/adapters/evm/keys/VaultAccount.ts"
import * as AllScreening from "../../src/adapters/screening/All.ts"
import { type PaymentProgress, PayoutSender } from "../../src/builder/payout/PayoutSender.ts"
import * as PayoutRegisterHttp from "../../src/cli/PayoutRegisterHttp.ts"
import * as Accounts from "../../src/devnet/Accounts.ts"
import * as Tokens from "../../src/devnet/Tokens.ts"
import * as Address from "../../src/domain/Address.ts"
import type { Stage } from "./Step.ts"

/** Blocks after which the backend and the vault count a payment as made. */
export const CONFIRMATIONS = 2

/** No sweep of a run moves this token. */
const TOKEN = "USDT"

const VAULT = Accounts.builderVault()

/** The run of a payment ends here, as if its machine had lost power. */
type Moment = "Recorded" | "Broadcast"

const PATIENCE_MILLIS = 60_000

export const newWallet = () => Address.of(privateKeyToAccount(generatePrivateKey()).address)

export const make = Effect.fnUntraced(function* ({ builder, world: { alpha, sql } }: Stage) {
  const { dev } = alpha
  const token = dev.tokens[TOKEN]
  const chain = { ...dev.chain, confirmations: CONFIRMATIONS }
  const { console, explained } = builder.connection
  const account = privateKeyToAccount(VAULT.privateKey)

  const balanceOf = (holder: Hex) =>
    dev.node.ask("read a balance", (node) =>
      node.readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [holder] })
    )

  /** Lets Permit2 move the vault's tokens, once for all batches. */
  const approved = dev.node.ask("approve", async (node) => {
    const args = [VAULT.address, chain.permit2] as const
    if ((await node.readContract({ address: token, abi: erc20Abi, functionName: "allowance", args })) > 0n) return
    const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [chain.permit2, maxUint256] })
    const hash = await node.sendTransaction({ account, chain: node.chain, to: token, data })
    await node.waitForTransactionReceipt({ hash })
  })

  /** Registers a builder that is owed an amount, which the vault receives. */
  const owing = Effect.fnUntraced(function* (whole: bigint) {
    const id = `paid_${crypto.randomUUID().slice(0, 8)}`
    const wallet = newWallet()
    yield* builder.post("/builders", {
      id,
      name: id,
      builderBps: 0,
      maxBuilderBps: 0,
      payoutAddress: wallet,
      payoutMode: "ledger"
    })
    yield* accrue(id, whole)
    return { id, wallet }
  })

  const accrue = Effect.fnUntraced(function* (builderId: string, whole: bigint) {
    const amount = Tokens.units(TOKEN, whole)
    yield* dev.fund(VAULT.address, { token: TOKEN, amount })
    yield* builder.post("/accruals", {
      builderId,
      sweepId: `${generatePrivateKey()}_0`,
      token,
      amount: amount.toString(),
      chainId: chain.id
    })
  })

  const sender = PayoutSender.layer({ pollMillis: 50, patienceMillis: PATIENCE_MILLIS }).pipe(
    Layer.provide([
      PayoutRegisterHttp.layer(builder.connection),
      VaultAccount.layer(RawKey.account(Redacted.make(VAULT.privateKey))),
      AllScreening.layerOracle()
    ]),
    Layer.provide(EvmChains.layer([{ chain, rpcUrls: [dev.rpcUrl] }])),
    Layer.provide(FetchHttpClient.layer)
  )

  const send = (id: string, tell: (progress: PaymentProgress) => Effect.Effect<void>) =>
    Effect.flatMap(PayoutSender, (payouts) => payouts.send(id, tell)).pipe(Effect.provide(sender), Effect.asVoid)

  /** One run of the command. */
  const pay = (id: string) => send(id, () => Effect.void)

  /** One run of the command that is cut off at the moment. */
  const payUntil = Effect.fnUntraced(function* (id: string, moment: Moment) {
    let isReached = false
    const exit = yield* send(id, ({ _tag }) =>
      Effect.suspend(() => {
        isReached ||= _tag === moment
        return isReached ? Effect.interrupt : Effect.void
      })
    ).pipe(Effect.exit)
    if (!isReached) return yield* exit
  })

  const open = explained(console.openPayout({ payload: { chainId: chain.id, token, minAmount: 1n } }))
  const suspend = (id: string, suspended: boolean) =>
    explained(console.patchBuilder({ params: { id }, payload: { suspended } }))
  const move = (id: string, wallet: Hex) => sql`UPDATE builder.builders SET payout_address = ${wallet} WHERE id = ${id}`

  /** Differences between a builder's totals and the amounts that are given, in whole tokens. */
  const wrongTotals = Effect.fnUntraced(function* (id: string, owed: bigint) {
    const { totals } = yield* explained(console.builderAccruals({ params: { id } }))
    const sum = totals.reduce((all, each) => all + each.owed, 0n)
    return sum === Tokens.units(TOKEN, owed) ? [] : [`${id} is owed ${sum} instead of ${Tokens.units(TOKEN, owed)}`]
  })

  /** Differences between the token balance of a wallet and the amount that is given, in whole tokens. */
  const wrongBalance = Effect.fnUntraced(function* (who: string, wallet: Hex, whole: bigint) {
    const held = yield* balanceOf(wallet)
    return held === Tokens.units(TOKEN, whole) ? [] : [`${who} holds ${held} instead of ${Tokens.units(TOKEN, whole)}`]
  })

  const batch = (id: string) => explained(console.payout({ params: { id } }))

  return { accrue, approved, batch, balanceOf, move, open, owing, pay, payUntil, suspend, wrongBalance, wrongTotals }
})

export type Vault = Effect.Success<ReturnType<typeof make>>
