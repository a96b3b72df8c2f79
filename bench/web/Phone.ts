/** A slow phone: its screen, its network and its CPU, as Lighthouse and Chrome's developer tools simulate them. */
import type { Browser, CDPSession, Page } from "playwright-core"
import * as Vitals from "./Vitals.ts"

/** A phone with a small screen. */
export const SCREEN = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }

/** Factor by which the CPU is slower than this machine's. */
export const SLOWDOWN = 4

/** Round trip in milliseconds, and bits per second, of slow 4G: https://github.com/GoogleChrome/lighthouse/blob/main/docs/throttling.md */
const SLOW_4G = { roundTripMs: 150, down: 1_638_400, up: 750_000 }

const BITS = 8

/** Bytes that a page received, with headers, as compressed on the way. */
export interface Received {
  bytes: number
  readonly byUrl: Map<string, number>
}

const count = (session: CDPSession): Received => {
  const received: Received = { bytes: 0, byUrl: new Map() }
  const urls = new Map<string, string>()
  session.on("Network.responseReceived", ({ requestId, response }) => urls.set(requestId, response.url))
  session.on("Network.loadingFinished", ({ encodedDataLength, requestId }) => {
    received.bytes += encodedDataLength
    const url = urls.get(requestId) ?? ""
    received.byUrl.set(url, (received.byUrl.get(url) ?? 0) + encodedDataLength)
  })
  return received
}

/** A page of a new profile on a slow network. Its CPU is this machine's if `slowdown` is 1. */
export const open = async (browser: Browser, slowdown: number): Promise<{ page: Page; received: Received }> => {
  const context = await browser.newContext(SCREEN)
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send("Network.enable")
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: SLOW_4G.roundTripMs,
    downloadThroughput: SLOW_4G.down / BITS,
    uploadThroughput: SLOW_4G.up / BITS
  })
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowdown })
  await Vitals.install(page)
  return { page, received: count(session) }
}
