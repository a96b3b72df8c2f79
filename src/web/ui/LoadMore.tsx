/** Button that loads the next page of a list. */
import { Button } from "./Button.tsx"
import { useFocusHome } from "./useFocusHome.ts"

export interface Pages {
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  readonly fetchNextPage: () => Promise<unknown>
}

export function LoadMore({ pages }: { readonly pages: Pages }) {
  return pages.hasNextPage ? <More pages={pages} /> : null
}

function More({ pages }: { readonly pages: Pages }) {
  const leaving = useFocusHome()
  return (
    <div className="flex justify-center border-t border-line p-3" ref={leaving}>
      <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()} small>
        Load more
      </Button>
    </div>
  )
}
