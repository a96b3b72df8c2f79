import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Schedule } from "effect"
import { domainSeparator, erc20Abi, parseAbi, parseEther } from "viem"
import * as Deployment from "../../src/adapters/evm/contracts/Deployment.ts"
import * as Address from "../../src/domain/Address.ts"
import { DEFAULT_DOMAIN_NAME } from "../../src/domain/SweepOrder.ts"
import * as Essentials from "../../src/devnet/Essentials.ts"
import * as Tokens from "../../src/devnet/Tokens.ts"
import * as Uniswap from "../../src/devnet/Uniswap.ts"
import { withLiveClock } from "../support/LiveClock.ts"
import { TestNetwork } from "../support/Network.ts"
import { balance, deposit, eventually, nativeBalance, somebody } from "./deposits.ts"

const quoterAbi = parseAbi([
  "struct Params { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }",
  "function quoteExactInputSingle(Params params) returns (uint256 amountOut, uint160, uint32, uint256)"
])

layer(TestNetwork.layer())("the local network", (it) => {
  it.effect("has two chains, with other addresses for their tokens", () =>
    Effect.gen(function* () {
      const { chains } = yield* TestNetwork
      assert.deepStrictEqual(
        chains.map(({ chain }) => [chain.id, chain.name]),
        [
          [31_337, "alpha"],
          [31_338, "beta"]
        ]
      )
      const addresses = chains.flatMap(({ chain }) => chain.tokens.map((token) => token.address))
      assert.strictEqual(new Set(addresses).size, addresses.length)
    })
  )

  it.effect("describes each token as the token describes itself", () =>
    Effect.gen(function* () {
      const { chains } = yield* TestNetwork
      for (const { node, chain } of chains) {
        for (const token of chain.tokens.filter(({ symbol }) => symbol !== "WETH")) {
          const read = <Name extends "symbol" | "name" | "decimals">(functionName: Name) =>
            node.ask(functionName, (client) =>
              client.readContract({ address: token.address, abi: erc20Abi, functionName })
            )
          assert.strictEqual(yield* read("symbol"), token.symbol)
          assert.strictEqual(yield* read("name"), token.name)
          assert.strictEqual(yield* read("decimals"), token.decimals)
        }
      }
    })
  )

  it.effect("runs our contracts, with exactly the planned code", () =>
    Effect.gen(function* () {
      const { chains } = yield* TestNetwork
      for (const { node, chain, deployer, spokePool, spokePoolPeriphery, tokens, uniswap } of chains) {
        const plan = Deployment.plan({
          chainId: chain.id,
          guardOwner: deployer.address,
          timelockSeconds: 60,
          feeRecipient: chain.feeRecipient,
          wrappedNative: tokens.WETH,
          domainName: DEFAULT_DOMAIN_NAME,
          routers: [uniswap.swapRouter],
          bridges: [spokePool, spokePoolPeriphery]
        })
        for (const name of ["guard", "delegate", "entry"] as const) {
          assert.strictEqual(chain.contracts[name], plan.contracts[name].address)
          const code = yield* node.ask("code", (client) => client.getCode({ address: plan.contracts[name].address }))
          assert.strictEqual(Deployment.judge(plan.contracts[name], code), "right")
        }
      }
    })
  )

  it.effect("has pools that quote the network's prices, less their fee", () =>
    Effect.gen(function* () {
      const { chains } = yield* TestNetwork
      for (const { node, tokens, uniswap } of chains) {
        for (const [a, b, fee] of Uniswap.POOLS) {
          for (const [from, to] of [
            [a, b],
            [b, a]
          ] as const) {
            const usd = 9_000n
            const amountIn = Tokens.units(from, usd) / Tokens.TOKENS[from].usd
            const { result } = yield* node.ask(`quote ${from} for ${to}`, (client) =>
              client.simulateContract({
                address: uniswap.quoter,
                abi: quoterAbi,
                functionName: "quoteExactInputSingle",
                args: [{ tokenIn: tokens[from], tokenOut: tokens[to], amountIn, fee, sqrtPriceLimitX96: 0n }]
              })
            )
            const ideal = Tokens.units(to, usd) / Tokens.TOKENS[to].usd
            const lostPpm = Number(((ideal - result[0]) * 1_000_000n) / ideal)
            assert.isAtLeast(lostPpm, fee - 1)
            assert.isBelow(lostPpm, fee + 100, `${from} for ${to} at ${fee}`)
          }
        }
      }
    })
  )

  it.effect("gives every user every token and gas on every chain", () =>
    Effect.gen(function* () {
      const { chains, users } = yield* TestNetwork
      assert.isAtLeast(users.length, 10)
      for (const chain of chains) {
        for (const user of users) {
          assert.isTrue((yield* nativeBalance(chain, user.address)) > 0n)
        }
        for (const symbol of Tokens.SYMBOLS) {
          assert.isTrue((yield* balance(chain, symbol, users.at(-1)?.address ?? Address.zero)) > 0n, symbol)
        }
      }
    })
  )

  it.effect("has Multicall3, Permit2 and a sanctions oracle that lists one address", () =>
    Effect.gen(function* () {
      const { chains, sanctionedAddress, users } = yield* TestNetwork
      const oracleAbi = parseAbi(["function isSanctioned(address) view returns (bool)"])
      const permit2Abi = parseAbi(["function DOMAIN_SEPARATOR() view returns (bytes32)"])
      for (const { node, chain } of chains) {
        const listed = yield* node.ask("screen", (client) =>
          client.multicall({
            allowFailure: false,
            multicallAddress: chain.multicall3,
            contracts: [sanctionedAddress, users[0]?.address ?? Address.zero].map(
              (account) =>
                ({
                  address: chain.sanctionsOracle,
                  abi: oracleAbi,
                  functionName: "isSanctioned",
                  args: [account]
                }) as const
            )
          })
        )
        assert.deepStrictEqual(listed, [true, false])
        // A copy of Permit2's code would answer with the separator of the address that it was copied from.
        const separator = yield* node.ask("permit2", (client) =>
          client.readContract({ address: Essentials.PERMIT2, abi: permit2Abi, functionName: "DOMAIN_SEPARATOR" })
        )
        assert.strictEqual(
          separator,
          domainSeparator({ domain: { name: "Permit2", chainId: chain.id, verifyingContract: Essentials.PERMIT2 } })
        )
      }
    })
  )

  it.effect("fills deposits on the other chain, in both directions", () =>
    withLiveClock(
      Effect.gen(function* () {
        const { chains, users } = yield* TestNetwork
        const [alpha, beta] = chains
        const [first, second] = users
        if (!alpha || !beta || !first || !second) return assert.fail("two chains and two users")
        const recipient = somebody("bridged")
        const amount = Tokens.units("USDC", 100n)
        yield* Effect.all(
          [
            deposit(alpha, beta, {
              user: first,
              symbol: "USDC",
              inputAmount: amount,
              outputAmount: amount - 7n,
              recipient
            }),
            deposit(beta, alpha, { user: second, symbol: "DAI", inputAmount: amount, outputAmount: amount, recipient })
          ],
          { concurrency: 2 }
        )
        yield* eventually(Effect.map(balance(beta, "USDC", recipient), (arrived) => arrived === amount - 7n))
        yield* eventually(Effect.map(balance(alpha, "DAI", recipient), (arrived) => arrived === amount))
        assert.strictEqual(yield* balance(beta, "USDC", recipient), amount - 7n)
        assert.strictEqual(yield* balance(alpha, "DAI", recipient), amount)
      })
    )
  )

  it.effect("delivers wrapped native currency to an ordinary account unwrapped", () =>
    withLiveClock(
      Effect.gen(function* () {
        const { chains, users } = yield* TestNetwork
        const [alpha, beta] = chains
        const user = users[2]
        if (!alpha || !beta || !user) return assert.fail("two chains and a user")
        const recipient = somebody("unwrapped")
        const amount = parseEther("1")
        yield* deposit(alpha, beta, { user, symbol: "WETH", inputAmount: amount, outputAmount: amount, recipient })
        yield* eventually(Effect.map(nativeBalance(beta, recipient), (arrived) => arrived > 0n))
        assert.strictEqual(yield* nativeBalance(beta, recipient), amount)
        assert.strictEqual(yield* balance(beta, "WETH", recipient), 0n)
      })
    )
  )

  it.effect("leaves a deposit that would lose the filler money", () =>
    withLiveClock(
      Effect.gen(function* () {
        const { chains, users } = yield* TestNetwork
        const [alpha, beta] = chains
        const user = users[3]
        if (!alpha || !beta || !user) return assert.fail("two chains and a user")
        const [unlucky, lucky] = [somebody("unlucky"), somebody("lucky")]
        const amount = Tokens.units("USDC", 5n)
        const common = { user, symbol: "USDC", inputAmount: amount } as const
        yield* deposit(alpha, beta, { ...common, outputAmount: amount + 1n, recipient: unlucky })
        yield* deposit(alpha, beta, { ...common, outputAmount: amount, recipient: lucky })
        yield* eventually(Effect.map(balance(beta, "USDC", lucky), (arrived) => arrived === amount))
        assert.strictEqual(yield* balance(beta, "USDC", lucky), amount)
        assert.strictEqual(yield* balance(beta, "USDC", unlucky), 0n)
      })
    )
  )

  it.effect("fills again what a reorg undid", () =>
    withLiveClock(
      Effect.gen(function* () {
        const { chains, users } = yield* TestNetwork
        const [alpha, beta] = chains
        const user = users[4]
        if (!alpha || !beta || !user) return assert.fail("two chains and a user")
        const recipient = somebody("reorganised")
        const amount = Tokens.units("DAI", 3n)
        const filled = Effect.map(balance(beta, "DAI", recipient), (arrived) => arrived === amount)
        yield* deposit(alpha, beta, { user, symbol: "DAI", inputAmount: amount, outputAmount: amount, recipient })
        yield* eventually(filled)
        yield* beta.node.ask("reorg", (client) => client.transport.request({ method: "anvil_reorg", params: [1, []] }))
        assert.isFalse(yield* filled)
        yield* eventually(filled)
        assert.isTrue(yield* filled)
      })
    )
  )

  it.effect("funds fresh accounts, several at once", () =>
    Effect.gen(function* () {
      const { chains } = yield* TestNetwork
      const chain = chains[0]
      if (!chain) return assert.fail("a chain")
      const owner = somebody("fresh")
      const gifts = ["WETH", "USDC", "USDT", "WBTC", "FOT"] as const
      yield* Effect.forEach(gifts, (token) => chain.fund(owner, { token, amount: 12_345n }), {
        concurrency: "unbounded"
      })
      yield* chain.fund(owner, { token: "ETH", amount: 678n })
      for (const token of gifts) assert.strictEqual(yield* balance(chain, token, owner), 12_345n)
      assert.strictEqual(yield* nativeBalance(chain, owner), 678n)
    })
  )
})

layer(TestNetwork.layer({ blockSeconds: 1, filler: false }))("with blocks of a second", (it) => {
  it.effect("mines without transactions, at the pace of the clock", () =>
    withLiveClock(
      Effect.gen(function* () {
        const { chains } = yield* TestNetwork
        const chain = chains[0]
        if (!chain) return assert.fail("a chain")
        const head = chain.node.ask("head", (client) => client.getBlock())
        const before = yield* head
        const [elapsed, after] = yield* Effect.timed(
          head.pipe(
            Effect.repeat({
              until: ({ number }) => number >= before.number + 2n,
              schedule: Schedule.spaced("50 millis")
            })
          )
        )
        // The first of the two may have been due at once.
        assert.isAtLeast(Duration.toMillis(elapsed), 900)
        assert.isTrue(after.timestamp >= before.timestamp + 2n)
        assert.strictEqual(after.gasLimit, 60_000_000n)
        assert.strictEqual(chain.chain.blockTimeMillis, 1_000)
      })
    )
  )
})
