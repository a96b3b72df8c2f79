/** Links to a chain's block explorer, if the deployment has one. */
interface Explored {
  readonly explorerUrl?: string
}

/** Services send the URL. Any other scheme could run a script. */
const WEBSITE = /^https?:\/\//i

const link = (chain: Explored | undefined, path: string): string | undefined =>
  chain?.explorerUrl === undefined || !WEBSITE.test(chain.explorerUrl)
    ? undefined
    : `${chain.explorerUrl.replace(/\/$/, "")}/${path}`

export const transaction = (chain: Explored | undefined, hash: string) => link(chain, `tx/${hash}`)

export const account = (chain: Explored | undefined, address: string) => link(chain, `address/${address}`)

/** The transaction in which a sweep settled, if its id contains the hash. */
export const hashOfSweep = (sweepId: string): string | undefined => /^(0x[0-9a-fA-F]{64})_\d+$/.exec(sweepId)?.[1]
