/** Compares pictures of pages with those that were accepted, with a tolerance for digits, addresses and antialiasing. */
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Schedule } from "effect"
import type { Browser, Page } from "playwright-core"

const ACCEPTED = join(import.meta.dirname, "looks")

/** Pictures that differ are written here. */
const DIFFERENT = join(tmpdir(), "sweep-looks")

/** Pixels of a side of a cell, whose mean colour is compared. */
const CELL = 4

/** Difference of a channel, of 255, above which a cell counts as another one. */
const CHANNEL = 40

/** Share of cells that may differ. */
export const TOLERANCE = 0.02

const QUALITY = 60

const pictureOf = async (page: Page): Promise<string> => {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: QUALITY })
  await session.detach()
  return data
}

/** Runs in a browser: the share of cells that differ. 1 for pictures of other sizes. */
const compared = async ({ cell, channel, pictures }: { cell: number; channel: number; pictures: Array<string> }) => {
  const drawn = await Promise.all(
    pictures.map(async (picture) => {
      const image = new Image()
      image.src = `data:image/webp;base64,${picture}`
      await image.decode()
      const [width, height] = [Math.ceil(image.width / cell), Math.ceil(image.height / cell)]
      const canvas = new OffscreenCanvas(width, height)
      const context = canvas.getContext("2d")
      if (context === null) throw new Error("the browser draws no pictures")
      context.imageSmoothingQuality = "high"
      context.drawImage(image, 0, 0, width, height)
      return { width, height, data: context.getImageData(0, 0, width, height).data }
    })
  )
  const [first, second] = drawn
  if (first === undefined || second === undefined) throw new Error("two pictures are needed")
  if (first.width !== second.width || first.height !== second.height) return 1
  let different = 0
  for (let at = 0; at < first.data.length; at += 4) {
    const isOther = [0, 1, 2].some((index) => {
      return Math.abs((first.data[at + index] ?? 0) - (second.data[at + index] ?? 0)) > channel
    })
    if (isOther) different++
  }
  return different / (first.width * first.height)
}

/** The share of two pictures that differs: WebP files in base64. */
export const difference = (browser: Browser, ...pictures: readonly [string, string]) =>
  Effect.promise(async () => {
    const page = await browser.newPage()
    const share = await page.evaluate(compared, { cell: CELL, channel: CHANNEL, pictures: [...pictures] })
    await page.close()
    return share
  })

/**
 * Says in which way the page differs from its accepted picture. Undefined if it does not. A busy browser may show a change of size or colours
 * some frames later, so a page that differs is looked at again for a few seconds.
 */
export const changeOf = Effect.fnUntraced(function* (browser: Browser, page: Page, name: string) {
  const accepted = join(ACCEPTED, `${name}.webp`)
  const known = yield* Effect.promise(() => readFile(accepted, "base64").catch(() => undefined))
  const look = Effect.gen(function* () {
    const picture = yield* Effect.promise(() => pictureOf(page))
    return { picture, share: known === undefined ? 1 : yield* difference(browser, known, picture) }
  })
  const { picture, share } = yield* Effect.repeat(look, {
    until: (seen) => seen.share <= TOLERANCE,
    schedule: Schedule.spaced("250 millis"),
    times: known === undefined ? 0 : 20
  })
  if (share <= TOLERANCE) return undefined
  const written = join(DIFFERENT, `${name}.webp`)
  yield* Effect.promise(async () => {
    await mkdir(DIFFERENT, { recursive: true })
    await writeFile(written, picture, "base64")
  })
  return `${name} differs in ${(share * 100).toFixed(1)} % of its area. If that is wanted: cp ${written} ${accepted}`
})
