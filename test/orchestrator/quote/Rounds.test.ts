/** Sequential round trips to the nodes of a quote and of a submission, on real chains. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { FetchHttpClient } from "effect/http"
import { parseUnits } from "viem"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import * as Across from "../../../src/adapters/bridge/Across.ts"
import * as AcrossFees from "../../../src/adapters/bridge/AcrossFees.ts"
import * as EvmChains from "../../../src/adapters/evm/chains/Chains.ts"
import * as EvmSweepContracts from "../../../src/adapters/evm/contracts/SweepContracts.ts"
import { sweepGuard } from "../../../src/adapters/evm/abi/contracts.generated.ts"
import * as EvmSweepSimulation from "../../../src/adapters/evm/contracts/SweepSimulation.ts"
import * as NativeSignatures from "../../../src/adapters/evm/keys/NativeSignatures.ts"
import * as BuilderAttribution from "../../../src/adapters/memory/orchestrator/BuilderAttribution.ts"
import * as Alerts from "../../../src/adapters/memory/shared/Alerts.ts"
import * as Exposures from "../../../src/adapters/memory/orchestrator/Exposures.ts"
import * as PromisedFees from "../../../src/adapters/memory/orchestrator/PromisedFees.ts"
import * as Intents from "../../../src/adapters/memory/orchestrator/Intents.ts"
import * as RelayerKeys from "../../../src/adapters/memory/orchestrator/RelayerKeys.ts"
import * as Accounts from "../../../src/devnet/Accounts.ts"
import * as FeeSale from "../../../src/adapters/prices/FeeSale.ts"
import * as PoolMarkets from "../../../src/adapters/prices/PoolMarkets.ts"
import * as PriceMoves from "../../../src/adapters/prices/PriceMoves.ts"
import * as UniswapV3Prices from "../../../src/adapters/prices/UniswapV3Prices.ts"
import * as ListAndSimulation from "../../../src/adapters/risk/ListAndSimulation.ts"
import * as SanctionsOracle from "../../../src/adapters/screening/SanctionsOracle.ts"
import * as UniswapV3 from "../../../src/adapters/swap/UniswapV3.ts"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import type { DevChain } from "../../../src/devnet/DevChain.ts"
import { mint, type Symbol } from "../../../src/devnet/Tokens.ts"
import * as Address from "../../../src/domain/Address.ts"
import { designator } from "../../../src/domain/Delegation.ts"
import { bound, indexOf } from "../../../src/domain/OrderNonce.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { Intake } from "../../../src/orchestrator/intake/Intake.ts"
import { type Offer, Quoter } from "../../../src/orchestrator/quote/Quoter.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { Prices } from "../../../src/ports/orchestrator/Prices.ts"
import { TestNetwork } from "../../support/Network.ts"
import * as Pools from "../../support/Pools.ts"
import * as Rounds from "../../support/Rounds.ts"
import { overrides } from "../../support/Overrides.ts"

interface Kind {
  readonly name: string
  readonly tokenIn: Symbol | "ETH"
  readonly tokenOut: Symbol | "ETH"
  readonly amount: string
  readonly crossChain?: boolean
  readonly delegated?: boolean
  /** The owner has cancelled its first order nonce. */
  readonly cancelled?: boolean
  readonly hinted: boolean
  /** The owner sweeps a token that is on no list, worth a dollar, instead. */
  readonly unlisted?: boolean
}

const SWEEPS: ReadonlyArray<Omit<Kind, "hinted">> = [
  { name: "a token", tokenIn: "DAI", tokenOut: "USDC", amount: "50" },
  { name: "native currency", tokenIn: "ETH", tokenOut: "USDC", amount: "0.05" },
  { name: "a token to native currency", tokenIn: "DAI", tokenOut: "ETH", amount: "50" },
  { name: "a token over two pools", tokenIn: "WBTC", tokenOut: "DAI", amount: "0.01" },
  { name: "a token across chains", tokenIn: "USDC", tokenOut: "USDC", amount: "50", crossChain: true },
  { name: "another token across chains", tokenIn: "DAI", tokenOut: "USDC", amount: "50", crossChain: true },
  { name: "an unlisted token", tokenIn: "DAI", tokenOut: "USDC", amount: "50", unlisted: true },
  { name: "a token of a delegated account", tokenIn: "DAI", tokenOut: "USDC", amount: "50", delegated: true }
]

const KINDS: ReadonlyArray<Kind> = SWEEPS.flatMap((kind) => [
  { ...kind, hinted: true },
  { ...kind, hinted: false, name: `${kind.name}, without a hint` }
])

const decimalsOf = (symbol: Symbol | "ETH"): number => (symbol === "USDC" ? 6 : symbol === "WBTC" ? 8 : 18)

const tokenOf = (dev: DevChain, symbol: Symbol | "ETH"): Address.Address =>
  symbol === "ETH" ? NATIVE : dev.tokens[symbol]

class Scene extends Context.Service<
  Scene,
  {
    readonly quote: (kind: Kind) => Effect.Effect<{
      readonly account: PrivateKeyAccount
      readonly offer: Offer
      readonly rounds: ReadonlyArray<Rounds.Round>
    }>
    readonly submit: (account: PrivateKeyAccount, offer: Offer) => Effect.Effect<ReadonlyArray<Rounds.Round>>
  }
>()("sweep/test/RoundsScene") {}

const scene = Layer.effect(
  Scene,
  Effect.gen(function* () {
    const network = yield* TestNetwork
    const [source, destination] = network.chains
    if (source === undefined || destination === undefined) throw new Error("the local network has two chains")
    const rounds = Rounds.make()
    const chains = EvmChains.layer(network.chains.map(({ chain, rpcUrl }) => ({ chain, rpcUrls: [rpcUrl] }))).pipe(
      Layer.provide(FetchHttpClient.layer),
      Layer.provide(Layer.succeed(FetchHttpClient.Fetch, rounds.fetch))
    )
    const adapters = Layer.mergeAll(
      Across.layer({ orderLifetimeSeconds: 720 }).pipe(
        Layer.provide([AcrossFees.layerFixed({ relayFeeBps: 10, fillDeadlineSeconds: 10_800 }), UniswapV3.layer])
      ),
      EvmSweepSimulation.layer,
      ListAndSimulation.layer(),
      // Every quote reads its prices anew, which is the worst case.
      FeeSale.layer(2_000).pipe(
        Layer.provideMerge(PriceMoves.layer.pipe(Layer.provide(Layer.effect(Prices, UniswapV3Prices.make(0))))),
        Layer.provide(PoolMarkets.layer({ lifetime: 0 }))
      ),
      SanctionsOracle.layer(),
      UniswapV3.layer,
      Alerts.layer,
      PromisedFees.layer,
      Exposures.layer,
      overrides,
      BuilderAttribution.layer({ builders: new Map() }),
      Intents.layer,
      NativeSignatures.layer
    ).pipe(
      Layer.provideMerge(
        Layer.mergeAll(chains, EvmSweepContracts.layer, RelayerKeys.layer([Accounts.relayers()[0].address]))
      ),
      Layer.provideMerge(SecureRandom.layerWebCrypto),
      Layer.provideMerge(OrchestratorSettings.layer(orchestratorDefaults))
    )
    const context = yield* Layer.build(Layer.mergeAll(Quoter.layer, Intake.layer).pipe(Layer.provide(adapters)))
    const [quoter, intake] = [Context.get(context, Quoter), Context.get(context, Intake)]

    const unlisted = yield* Pools.deployToken(source, 10n ** 24n)
    yield* Pools.open(source, 3_000, [
      { token: unlisted, amount: 30_000n * 10n ** 18n },
      { token: source.tokens.WETH, amount: 10n ** 19n }
    ])

    const quote = Effect.fnUntraced(function* (kind: Kind) {
      const account = privateKeyToAccount(generatePrivateKey())
      const owner = Address.of(account.address)
      const amountIn = parseUnits(kind.amount, decimalsOf(kind.tokenIn))
      yield* kind.unlisted === true
        ? Pools.send(source, "mint", unlisted, mint(owner, amountIn))
        : Effect.orDie(source.fund(owner, { token: kind.tokenIn, amount: amountIn }))
      if (kind.delegated === true) {
        yield* Effect.orDie(
          source.node.ask("delegate", (node) =>
            node.setCode({ address: owner, bytecode: designator(source.chain.contracts.delegate) })
          )
        )
      }
      if (kind.cancelled === true) {
        yield* Effect.orDie(
          source.node.ask("cancel a nonce", async (node) => {
            await node.setBalance({ address: owner, value: parseUnits("1", 18) })
            await node.impersonateAccount({ address: owner })
            const { guard: address } = source.chain.contracts
            const call = { abi: sweepGuard.abi, functionName: "cancel", args: [bound(address, 0n)] } as const
            const hash = await node.writeContract({ ...call, account: owner, chain: node.chain, address })
            await node.waitForTransactionReceipt({ hash })
          })
        )
      }
      const target = kind.crossChain === true ? destination : source
      const counted = yield* rounds.of(
        quoter.quote({
          owner,
          tokenIn: kind.unlisted === true ? unlisted : tokenOf(source, kind.tokenIn),
          amountIn,
          tokenOut: tokenOf(target, kind.tokenOut),
          destination: owner,
          destChainId: target.chain.id,
          tier: "tier1",
          ...(kind.hinted ? { route: `${source.chain.name}->${target.chain.name}` } : {}),
          subscriptionActive: false,
          userId: "rounds"
        })
      )
      if (Exit.isFailure(counted.exit)) return yield* Effect.die(counted.exit.cause)
      return { account, offer: counted.exit.value, rounds: counted.rounds }
    })

    const submit = Effect.fnUntraced(function* (account: PrivateKeyAccount, { order, quote: { id }, signing }: Offer) {
      const { address, chainId, nonce } = signing.authorization
      const submission = yield* Effect.promise(async () => {
        const signed = await account.signAuthorization({ address, chainId, nonce: Number(nonce) })
        return {
          quoteId: id,
          signature: await account.signTypedData(signing.typedData),
          authorization: {
            address,
            chainId,
            nonce,
            r: signed.r,
            s: signed.s,
            yParity: signed.yParity === 1 ? 1 : 0
          } as const
        }
      })
      const counted = yield* rounds.of(intake.submit(submission))
      if (Exit.isFailure(counted.exit)) return yield* Effect.die(counted.exit.cause)
      assert.strictEqual(counted.exit.value.status, "submitted", order.owner)
      return counted.rounds
    })

    // The first requests of a process check the chain's id and read the delegate's code.
    for (const crossChain of [true, false]) {
      yield* quote({ name: "first", tokenIn: "USDC", tokenOut: "DAI", amount: "50", hinted: true, crossChain })
    }
    // The first quote of an unlisted token reads its decimals before its price.
    yield* quote({ name: "first", tokenIn: "DAI", tokenOut: "USDC", amount: "50", hinted: true, unlisted: true })
    return { quote, submit }
  })
).pipe(Layer.provide(TestNetwork.layer({ filler: false })))

layer(scene, { excludeTestServices: true })("rounds to a chain", (it) => {
  it.effect.each(KINDS)("of a quote of $name: at most three", (kind) =>
    Effect.gen(function* () {
      const { rounds } = yield* (yield* Scene).quote(kind)
      assert.isAtMost(Rounds.longest(rounds), 3, Rounds.shown(rounds))
    })
  )

  it.effect("of a quote call the latest block: a node may build a block for each call of the pending one", () =>
    Effect.gen(function* () {
      const kind = { name: "", tokenIn: "DAI", tokenOut: "USDC", amount: "50", hinted: false } as const
      const { rounds } = yield* (yield* Scene).quote(kind)
      const calls = rounds.flat().flatMap(({ methods }) => methods.filter((method) => method.startsWith("eth_call")))
      assert.deepStrictEqual([...new Set(calls)], ["eth_call@latest"])
    })
  )

  it.effect("of a quote whose nonce is spent on chain: the nonce is another one", () =>
    Effect.gen(function* () {
      const spent = { name: "", tokenIn: "DAI", tokenOut: "USDC", amount: "50", hinted: true, cancelled: true } as const
      const { offer } = yield* (yield* Scene).quote(spent)
      assert.strictEqual(indexOf(offer.order.nonce), 1n)
    })
  )

  it.effect("of a submission: at most two", () =>
    Effect.gen(function* () {
      const { quote, submit } = yield* Scene
      const { account, offer } = yield* quote({
        name: "",
        tokenIn: "DAI",
        tokenOut: "USDC",
        amount: "50",
        hinted: true
      })
      const rounds = yield* submit(account, offer)
      assert.isAtMost(Rounds.longest(rounds), 2, Rounds.shown(rounds))
    })
  )
})
