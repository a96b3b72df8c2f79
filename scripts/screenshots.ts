/**
 * Takes the pictures of the three journeys in the documentation: `bun scripts/screenshots.ts [--only owner|builder|operator]`. It builds
 * the web app, starts a local network, plays the journeys in a real browser and writes `docs/images`. Balances, addresses and times differ
 * each time.
 */
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Console, Effect, FileSystem, Logger } from "effect"
import { SecureRandom } from "effect/crypto"
import { FetchHttpClient } from "effect/http"
import * as DevApp from "../src/apps/DevApp.ts"
import { projectRoot } from "../src/cli/Project.ts"
import * as WebBuild from "../src/server/web/WebBuild.ts"
import * as Browser from "../test/web/Browser.ts"
import * as Camera from "./screenshots/Camera.ts"
import * as Journeys from "./screenshots/Journeys.ts"
import * as Scene from "./screenshots/Scene.ts"

const { values } = parseArgs({ options: { only: { type: "string" } } })

const isWanted = (name: string) => values.only === undefined || values.only === name

const IMAGES = join(projectRoot, "docs", "images")

/** Quotes must not expire while their picture is taken on a busy machine. */
const settings = { quoteLifetimeMillis: 600_000 }

const main = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const webDirectory = yield* WebBuild.ensure(projectRoot, process.execPath)
  const directory = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-screenshots-" })
  const app = yield* DevApp.start({ directory, webDirectory, settings })
  const studio = { app, browser: yield* Browser.open, take: Camera.take(IMAGES) }
  yield* fs.makeDirectory(IMAGES, { recursive: true })
  if (isWanted("owner")) yield* Journeys.owner(studio)
  if (isWanted("builder") || isWanted("operator")) {
    const builder = yield* Scene.builder(app)
    if (isWanted("builder")) yield* Journeys.builder(studio, builder)
    if (isWanted("operator")) yield* Journeys.operator(studio, builder)
  }
  yield* Console.log(`pictures in ${IMAGES}`)
})

main.pipe(
  Effect.scoped,
  Effect.provide([BunServices.layer, SecureRandom.layerWebCrypto, FetchHttpClient.layer, Logger.layer([])]),
  BunRuntime.runMain
)
