/** Runs the server over standard input and output with the official client, against the services on the local network. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { createPublicClient, createWalletClient, erc20Abi, http, maxUint256 } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { structHash, SweepOrder } from "../../src/domain/SweepOrder.ts"
import { WITNESS_TYPE_STRING } from "../../src/mcp/AllowanceTypedData.ts"
import { throughBundle } from "../support/Program.ts"
import { balanceOf, freshOwner, Services } from "../support/Services.ts"
import * as Support from "../support/SweepClient.ts"
import { permit2Abi } from "./permit2Abi.ts"
import {
  COMMAND,
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
      assert.isFalse(again.isError, again.text)
      assert.deepStrictEqual(again.value, submitted.value)

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
            env: { PATH, LOG_LEVEL: "All", ...(await throughBundle()), ...variables },
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
})
