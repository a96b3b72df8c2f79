/** Doctor's check of the sanctions lists goes by the age of the list that screening goes by. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, FileSystem, Layer, Option } from "effect"
import { FetchHttpClient } from "effect/http"
import type { Deployment } from "../../../src/cli/doctor/Check.ts"
import { sanctionsList } from "../../../src/cli/doctor/check/SanctionsList.ts"
import { sdnXml } from "../../adapters/screening/sdnFixture.ts"
import { address } from "../../support/FakeChain.ts"
import { StubServer } from "../../support/StubServer.ts"

const nothing = Effect.fail({ message: "not needed" })

const deployment: Deployment = {
  services: ["orchestrator"],
  listed: Option.none(),
  served: nothing,
  lanes: nothing,
  feeRecipientKey: nothing,
  withDatabase: () => nothing
}

const DAY_MILLIS = 86_400_000

const PLAIN = address(0x51)

const scene = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const { url } = yield* StubServer
  const directory = yield* fs.makeTempDirectoryScoped()
  const now = Date.now()
  /** A list of the operator, of this age in days. */
  const file = Effect.fnUntraced(function* (text: string, days: number) {
    yield* fs.writeFileString(`${directory}/list`, text)
    const written = new Date(now - days * DAY_MILLIS)
    yield* fs.utimes(`${directory}/list`, written, written)
    return { OFAC_SNAPSHOT: `${directory}/list` }
  })
  /** A download whose last list is of this age in days. */
  const download = Effect.fnUntraced(function* (days: number) {
    const kept = { checkedAt: Math.floor(now - days * DAY_MILLIS), addresses: [address(0x52)] }
    yield* fs.writeFileString(`${directory}/kept`, JSON.stringify(kept))
    return { OFAC_SNAPSHOT_URL: `${url}/sdn.xml`, OFAC_LAST_LIST_FILE: `${directory}/kept` }
  })
  const found = (...settings: ReadonlyArray<Readonly<Record<string, string>>>) =>
    sanctionsList.findings(deployment).pipe(
      Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: Object.assign({}, ...settings) }))),
      Effect.map((all) => all.map(({ code, level, subject }) => `${level} ${subject} ${code}`))
    )
  return { download, file, found }
})

const environment = Layer.mergeAll(
  BunServices.layer,
  FetchHttpClient.layer,
  StubServer.answering(() => ({ status: 200 }))
)

layer(environment, { excludeTestServices: true })("the check of sanctions lists", (it) => {
  it.effect("takes a file of any age beside a recent download", () =>
    Effect.gen(function* () {
      const { download, file, found } = yield* scene
      const old = yield* file(PLAIN, 30)
      assert.deepStrictEqual(yield* found(old), ["error OFAC_SNAPSHOT sanctions_list_too_old"], "alone")
      assert.deepStrictEqual(yield* found(old, yield* download(0.1)), [
        "ok OFAC_SNAPSHOT sanctions_list_adds",
        "ok OFAC_LAST_LIST_FILE sanctions_list_ok"
      ])
    })
  )

  it.effect("goes by the newest copy of OFAC's list, in whichever file, and by no other list", () =>
    Effect.gen(function* () {
      const { download, file, found } = yield* scene
      const old = yield* download(8)
      assert.deepStrictEqual(yield* found(yield* file(sdnXml([PLAIN]), 0.1), old), [
        "ok OFAC_SNAPSHOT sanctions_list_adds",
        "ok OFAC_LAST_LIST_FILE sanctions_list_ok"
      ])
      assert.deepStrictEqual(yield* found(yield* file(PLAIN, 0.1), old), [
        "ok OFAC_SNAPSHOT sanctions_list_adds",
        "error OFAC_LAST_LIST_FILE sanctions_list_too_old"
      ])
    })
  )

  it.effect("names a file that cannot be read beside a recent download, since every request is blocked then", () =>
    Effect.gen(function* () {
      const { download, file, found } = yield* scene
      assert.deepStrictEqual(yield* found(yield* file("not an address", 0.1), yield* download(0.1)), [
        "error OFAC_SNAPSHOT sanctions_list_unreadable",
        "ok OFAC_LAST_LIST_FILE sanctions_list_ok"
      ])
    })
  )
})
