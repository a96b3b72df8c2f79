/** Runs the server over standard input and output with the official client, against the services on the local network. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { createPublicClient, createWalletClient, erc20Abi, http, maxUint256 } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as Address from "../../src/domain/Address.ts"
import { structHash, SweepOrder } from "../../src/domain/SweepOrder.ts"
import { WITNESS_TYPE_STRING } from "../../src/mcp/AllowanceTypedData.ts"
import * as Project from "../examples/Project.ts"
import { balanceOf, freshOwner, type Place, place, Services } from "../support/Services.ts"
import * as Support from "../support/SweepClient.ts"
import { permit2Abi } from "./permit2Abi.ts"
import {
  COMMAND,
  DESTINATION,
  type Environment,
  PATH,
  asAnswer,
  call,
  connect,
  ended,
  quoteArguments,
  setUp
} from "./stdioClient.ts"

layer(Services.layer(), { excludeTestServices: true })("The MCP server over stdio", (it) => {
  it.effect("sweeps by its tools", () =>
    Effect.gen(function* () {
      const { alpha, trusted } = yield* setUp
      const client = yield* connect(trusted)
      const owner = yield* freshOwner(alpha, "DAI", "30")
      const quoted = yield* call(client, "get_quote", quoteArguments(owner.address, alpha, "30"))
      assert.isFalse(quoted.isError, quoted.text)
      assert.deepStrictEqual(JSON.parse(quoted.text), quoted.value)
      const answer = asAnswer(quoted)
      // Attributed by the environment's key.
      assert.strictEqual(answer.string("quote.builderId"), "dev")
      const signed = yield* Effect.promise(() => Support.sign(owner, answer))
      const { authorization: _, ...unauthorized } = signed
      const incomplete = yield* call(client, "submit_signed", { ...unauthorized })
      assert.isTrue(incomplete.isError)
      const submitted = yield* call(client, "submit_signed", { ...signed })
      assert.strictEqual(submitted.value["status"], "submitted", submitted.text)
      const again = yield* call(client, "submit_signed", { ...signed })
      assert.include(again.text, "get_intent_status")

      const status = yield* ended(client, signed.quoteId)
      assert.strictEqual(status.value["status"], "delivered", status.text)
      assert.strictEqual(status.value["crossChain"], false)
      assert.isTrue((yield* balanceOf(alpha, "USDC", owner.address)) > 0n)
    }).pipe(Effect.scoped)
  )

  it.effect("answers for builders", () =>
    Effect.gen(function* () {
      const { trusted } = yield* setUp
      const client = yield* connect(trusted)
      const whose = yield* call(client, "attribute", {})
      assert.deepInclude(whose.value, { builderId: "dev", builderBps: 30, maxBuilderBps: 100 })
      const builder = {
        id: "mcp",
        name: "By a model",
        builderBps: 5,
        maxBuilderBps: 10,
        payoutAddress: "0x00000000000000000000000000000000000b11d3"
      }
      const registered = yield* call(client, "register_builder", builder)
      assert.match(String(registered.value["apiKey"]), /^swp_/, registered.text)
      const again = yield* call(client, "register_builder", builder)
      assert.isTrue(again.isError)
      assert.include(again.text, "choose another id")
      const owed = yield* call(client, "list_accruals", { builderId: "mcp" })
      assert.deepStrictEqual(owed.value, { builderId: "mcp", balances: [] })
    }).pipe(Effect.scoped)
  )

  it.effect("builds typed data that Permit2 itself accepts", () =>
    Effect.gen(function* () {
      const { alpha, env, services } = yield* setUp
      const client = yield* connect(env)
      const [ownerKey, spenderKey] = [services.info.accounts[4], services.info.accounts[5]]
      if (ownerKey === undefined || spenderKey === undefined) return assert.fail("no funded accounts")
      const [owner, spender] = [privateKeyToAccount(ownerKey.privateKey), privateKeyToAccount(spenderKey.privateKey)]
      const quoted = asAnswer(yield* call(client, "get_quote", quoteArguments(owner.address, alpha, "30")))
      const order = quoted.at<Record<string, string>>("order")
      const built = yield* call(client, "build_allowance_typeddata", {
        order,
        spender: spender.address,
        chainId: alpha.info.id
      })
      const typedData = built.value as Parameters<typeof owner.signTypedData>[0]
      const dai = Support.tokenOf(alpha.info, "DAI").address
      const before = yield* balanceOf(alpha, "DAI", spender.address)
      yield* Effect.promise(async () => {
        const signature = await owner.signTypedData(typedData)
        const transport = http(alpha.dev.rpcUrl)
        const node = createPublicClient({ transport, pollingInterval: 200 })
        const send = async (hash: Promise<`0x${string}`>) => {
          const { status } = await node.waitForTransactionReceipt({ hash: await hash })
          assert.strictEqual(status, "success")
        }
        const permit2 = alpha.info.permit2
        await send(
          createWalletClient({ account: owner, transport }).writeContract({
            address: dai,
            abi: erc20Abi,
            functionName: "approve",
            args: [permit2, maxUint256],
            chain: null
          })
        )
        const amount = BigInt(order["amountIn"] ?? 0)
        await send(
          createWalletClient({ account: spender, transport }).writeContract({
            address: permit2,
            abi: permit2Abi,
            functionName: "permitWitnessTransferFrom",
            args: [
              {
                permitted: { token: dai, amount },
                nonce: BigInt(order["nonce"] ?? 0),
                deadline: BigInt(order["deadline"] ?? 0)
              },
              { to: spender.address, requestedAmount: amount },
              owner.address,
              structHash(Schema.decodeUnknownSync(SweepOrder)(order)),
              WITNESS_TYPE_STRING,
              signature
            ],
            chain: null
          })
        )
      })
      assert.strictEqual((yield* balanceOf(alpha, "DAI", spender.address)) - before, 30n * 10n ** 18n)
    }).pipe(Effect.scoped)
  )

  it.effect("says what to do next, whatever goes wrong", () =>
    Effect.gen(function* () {
      const { alpha, env, services } = yield* setUp
      const client = yield* connect({ ...env, SERVICE_API_KEY: "swp_wrong", SERVICE_ADMIN_TOKEN: "wrong" })
      const owner = yield* freshOwner(alpha, "DAI", "30")
      const asked = quoteArguments(owner.address, alpha, "30")
      const builder = { name: "A", builderBps: 0, maxBuilderBps: 0, payoutAddress: owner.address }
      for (const [name, args, expected] of [
        ["get_quote", { ...asked, amountIn: "1" }, "larger amountIn"],
        ["get_quote", { ...asked, owner: `0x${"0".repeat(40)}` }, "- owner: must not be the zero address"],
        ["get_quote", { ...asked, destination: services.info.sanctionedAddress }, "do not try again"],
        ["get_intent_status", { id: "6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b4a" }, "quote.id"],
        ["attribute", {}, "SERVICE_API_KEY"],
        ["list_accruals", { builderId: "dev" }, "SERVICE_ADMIN_TOKEN"],
        ["register_builder", { ...builder, id: "x y" }, "- id"]
      ] as const) {
        const outcome = yield* call(client, name, args)
        assert.isTrue(outcome.isError, name)
        assert.include(outcome.text, expected)
        assert.include(outcome.text, "Next: ")
      }
      const lost = yield* connect({ ...env, SERVICE_ORCHESTRATOR_URL: "http://127.0.0.1:1" })
      const unanswered = yield* call(lost, "get_quote", asked)
      assert.include(unanswered.text, "SERVICE_ORCHESTRATOR_URL")
    }).pipe(Effect.scoped)
  )

  it.effect("writes nothing but the protocol on standard output, and ends with its input", () =>
    Effect.gen(function* () {
      const { env } = yield* setUp
      /** Ends the input once so many lines were answered. */
      const run = (variables: Environment, input: string, answers: number) =>
        Effect.promise(async () => {
          const child = Bun.spawn([COMMAND, "mcp"], {
            env: { PATH, LOG_LEVEL: "All", ...variables },
            stdin: "pipe",
            stdout: "pipe",
            stderr: "pipe",
            timeout: 60_000
          })
          child.stdin.write(input)
          await child.stdin.flush()
          const error = new Response(child.stderr).text()
          let out = ""
          const decoder = new TextDecoder()
          const answered = () => out.split("\n").length > answers
          if (answered()) await child.stdin.end()
          for await (const chunk of child.stdout) {
            out += decoder.decode(chunk, { stream: true })
            if (answered()) await child.stdin.end()
          }
          return { out, error: await error, code: await child.exited }
        })
      const message = (id: number, method: string, params: unknown) =>
        `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`
      const { code, out } = yield* run(
        env,
        message(1, "initialize", {
          protocolVersion: "2025-11-25",
          capabilities: {},
          clientInfo: { name: "test", version: "0" }
        }) +
          `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n` +
          message(2, "tools/call", { name: "get_intent_status", arguments: { id: "x" } }) +
          message(3, "no/such/method", {}),
        3
      )
      const lines = out.trim().split("\n")
      assert.sameMembers(
        lines.map((line) => JSON.parse(line).id),
        [1, 2, 3]
      )
      assert.strictEqual(code, 0)
      const unset = yield* run({}, "", 0)
      assert.deepStrictEqual([unset.out, unset.code], ["", 1])
      assert.include(unset.error, "SERVICE_ORCHESTRATOR_URL")
    })
  )

  it.effect("writes code that type-checks as it stands, and sweeps", () =>
    Effect.gen(function* () {
      const { alpha, services, trusted } = yield* setUp
      const client = yield* connect(trusted)
      const beta = place(services, 1)
      const made = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "sweep-snippet-"))),
        (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
      )
      const { text: generated } = yield* call(client, "gen_integration_snippet", {
        sourceChainId: alpha.info.id,
        sweepRouter: alpha.info.entry
      })
      const setting = "const DELEGATE: Hex | undefined = undefined"
      assert.include(generated, setting)
      const more = "const MORE_DELEGATES: Partial<Record<number, Hex>> = {}"
      assert.include(generated, more)
      const routers = "const ROUTERS: Partial<Record<number, Hex>> = {\n"
      assert.include(generated, routers)
      const text = generated
        .replace(setting, `const DELEGATE: Hex | undefined = "${alpha.info.delegate}"`)
        .replace(more, `${more.slice(0, -1)} ${beta.info.id}: "${beta.info.delegate}" }`)
        .replace(routers, `${routers}${alpha.info.id}: "${alpha.info.swapRouter}",\n`)
        // Fixed costs are a large share of such small amounts.
        .replace("MAX_FEE_BPS = 500n", "MAX_FEE_BPS = 1000n")
      const key = generatePrivateKey()
      const owner = Address.of(privateKeyToAccount(key).address)
      yield* alpha.dev.fund(owner, { token: "DAI", amount: 30n * 10n ** 18n })
      yield* alpha.dev.fund(owner, { token: "USDC", amount: 60_000_000n })
      yield* alpha.dev.fund(owner, { token: "USDT", amount: 40_000_000n })
      yield* beta.dev.fund(owner, { token: "USDC", amount: 50_000_000n })
      const address = (where: Place, symbol: string) => JSON.stringify(Support.tokenOf(where.info, symbol).address)
      const intoEther = `{ tokenIn: ${address(alpha, "USDC")}, amountIn: 30_000_000n, tokenOut: ${address(beta, "ETH")}, destChainId: ${beta.info.id}, route: "${alpha.info.name}->${beta.info.name}" }`
      const known = [alpha, beta].map(({ dev, info }) => {
        const tokens = { WETH: dev.tokens.WETH }
        const { spokePool, spokePoolPeriphery: periphery } = dev
        return `${info.id}: ${JSON.stringify({ spokePool, periphery, wrappedNative: dev.tokens.WETH, tokens })},\n`
      })
      const main = `
import { privateKeyToAccount } from "viem/accounts"
import { sweep } from "./snippet.ts"
import { sweep as sweepKnowing, sweepWallet } from "./knowing.ts"
import { sweep as sweepUnconfigured } from "./unconfigured.ts"

const account = privateKeyToAccount(process.env["KEY"] as \`0x\${string}\`)
const show = (reviewed: unknown) => {
  console.error(reviewed)
  return true
}
const ended = [
  await sweep(account, { tokenIn: ${address(alpha, "DAI")}, amountIn: 30n * 10n ** 18n, tokenOut: ${address(alpha, "USDC")}, destChainId: ${alpha.info.id}, destination: "${DESTINATION}" }, show),
  await sweepKnowing(account, { tokenIn: ${address(alpha, "USDC")}, amountIn: 30_000_000n, tokenOut: ${address(beta, "USDC")}, destChainId: ${beta.info.id}, route: "${alpha.info.name}->${beta.info.name}" }, show),
  await sweep(account, { tokenIn: ${address(alpha, "DAI")}, amountIn: 1n, tokenOut: ${address(alpha, "USDC")}, destChainId: ${alpha.info.id} }, show).catch((error: Error) => ({ status: error.message })),
  await sweep(account, ${intoEther}, show).catch((error: Error) => ({ status: error.message })),
  await sweepUnconfigured(account, ${intoEther}, show).catch((error: Error) => ({ status: error.message })),
  await sweepKnowing(account, ${intoEther}, show)
]
const tokens = [
  { chainId: ${alpha.info.id}, token: ${address(alpha, "USDT")}, amount: 40_000_000n },
  { chainId: ${beta.info.id}, token: ${address(beta, "USDC")}, amount: 30_000_000n },
  { chainId: ${beta.info.id}, token: ${address(beta, "DAI")}, amount: 1n }
] as const
const wallet = await sweepWallet(account, { tokens: [...tokens], tokenOut: ${address(alpha, "USDC")}, destChainId: ${alpha.info.id} }, ({ leftOut, legs }) => {
  console.error(leftOut)
  return legs.length === 2 && leftOut.length === 1
})
console.log(JSON.stringify([...ended, ...(wallet?.intents ?? [])].map((intent) => intent?.status)))
`
      yield* Effect.promise(async () => {
        const project = await Project.make(made)
        await Bun.write(join(project, "snippet.ts"), text)
        await Bun.write(join(project, "unconfigured.ts"), generated)
        // Chains that the code does not know, as an integrator adds them.
        const table = "const BRIDGES: Partial<Record<number, Bridge>> = {\n"
        await Bun.write(join(project, "knowing.ts"), text.replace(table, `${table}${known.join("")}`))
        await Bun.write(join(project, "main.ts"), main)
        await Bun.write(
          join(project, "tsconfig.json"),
          Project.tsconfig(["snippet.ts", "knowing.ts", "unconfigured.ts"]).replace(
            '"strict":true',
            '"strict":true,"noUnusedLocals":true,"exactOptionalPropertyTypes":true,"noUncheckedIndexedAccess":true'
          )
        )
        const checked = await Project.typeCheck(project)
        assert.strictEqual(checked.code, 0, `${checked.out}${text}`)
        const ran = await Project.run([process.execPath, "main.ts"], { cwd: project, env: { KEY: key } })
        assert.strictEqual(ran.code, 0, ran.error)
        const [onOneChain, acrossTwo, refused, unknown, unconfigured, intoAnother, ...together] = JSON.parse(ran.out)
        assert.deepStrictEqual([onOneChain, acrossTwo], ["delivered", "delivered"], ran.error)
        assert.include(refused, "422 internal error")
        assert.include(unknown, "do not sign: the bridge pays")
        assert.include(unconfigured, "do not sign: set DELEGATE")
        assert.strictEqual(intoAnother, "delivered", ran.error)
        assert.deepStrictEqual(together, ["delivered", "delivered"], ran.error)
      })
      assert.isTrue((yield* balanceOf(alpha, "USDC", DESTINATION)) > 0n)
      assert.isTrue((yield* balanceOf(beta, "USDC", owner)) > 0n)
      assert.isTrue((yield* balanceOf(beta, "ETH", owner)) > 0n)
    }).pipe(Effect.scoped)
  )
})
