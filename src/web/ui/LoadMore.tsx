/** Button that loads the next page of a list. */
import { Button } from "./Button.tsx"

export interface Pages {
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  readonly fetchNextPage: () => Promise<unknown>
}

export function LoadMore({ pages }: { readonly pages: Pages }) {
  if (!pages.hasNextPage) return null
  return (
    <div className="flex justify-center border-t border-line p-3">
      <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()} small>
        Load more
      </Button>
    </div>
  )
}
