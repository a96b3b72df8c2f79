/** The user's choices. They are kept during the review. */
import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { sameAddress } from "../../sdk/model/Address.ts"
import type { SweepableToken } from "../../sdk/index.ts"
import { askAgain } from "../api/askAgain.ts"
import { byValue } from "../lib/usd.ts"
import { keyOf, type Place } from "./catalog.ts"
import { obstacle } from "./obstacle.ts"
import { holdings as holdingsOf, isIncomplete, type Session } from "./session.ts"
import { defaultTarget, readDestination, type TargetDefaults } from "./target.ts"

const askWhileIncomplete = askAgain(isIncomplete)

export const useChoices = ({ account, catalog, client }: Session, defaults: TargetDefaults) => {
  const found = useQuery({ ...holdingsOf({ account, client }), refetchInterval: askWhileIncomplete })
  const [decided, setTo] = useState<Place>()
  /** Deselected tokens. All other tokens that can be swept are selected. */
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  /** Input of another address. Undefined for the owner's address. */
  const [typed, setTyped] = useState<string | undefined>(
    defaults.destination === undefined || sameAddress(defaults.destination, account.address)
      ? undefined
      : defaults.destination
  )
  const holdings = found.data
  useEffect(() => {
    // Decided once, by all holdings: a finished sweep must not change the target of the next one.
    if (holdings === undefined || isIncomplete(holdings)) return
    setTo((chosen) => chosen ?? defaultTarget(catalog, holdings.tokens, defaults))
  }, [holdings, catalog, defaults])
  const to = decided ?? (holdings === undefined ? undefined : defaultTarget(catalog, holdings.tokens, defaults))

  const tokens = holdings?.tokens ?? []
  const isChosen = (token: SweepableToken) => obstacle(catalog, token, to) === undefined && !left.has(keyOf(token))
  const toggle = (some: ReadonlyArray<SweepableToken>, wanted: boolean) => {
    const next = new Set(left)
    for (const token of some) {
      if (wanted) next.delete(keyOf(token))
      else next.add(keyOf(token))
    }
    setLeft(next)
  }
  const read = typed === undefined ? { address: account.address } : readDestination(catalog, typed)
  return {
    found,
    tokens,
    to,
    setTo,
    typed,
    setTyped,
    isChosen,
    toggle,
    chosen: tokens.filter(isChosen).toSorted((a, b) => byValue(a.valueUsd, b.valueUsd)),
    destination: "address" in read ? read.address : undefined,
    problem: "problem" in read ? read.problem : undefined
  }
}

export type Choices = ReturnType<typeof useChoices>
