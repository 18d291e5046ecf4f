import { ApolloProvider, useReactiveVar } from '@apollo/client/react';
import { MessagesSquare } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { ConversationPane } from './conversation.tsx';
import { Inbox } from './inbox.tsx';
import { Problem } from './parts.tsx';
import { failure } from './problems.ts';
import { SessionContext, sessionOf, TOKENS } from './session.ts';
import './styles.css';

function onHashChange(changed: () => void) {
  addEventListener('hashchange', changed);
  return () => removeEventListener('hashchange', changed);
}

/** The address says who looks at what, `#/ada/conv_ada_grace`, so that the browser's own buttons go back and forth. */
function App() {
  const hash = useSyncExternalStore(onHashChange, () => location.hash);
  const [, name = '', id = ''] = hash.split('/').map(decodeURIComponent);
  const session = sessionOf(Object.hasOwn(TOKENS, name) ? name : 'ada');
  return (
    <SessionContext key={session.username} value={session}>
      <ApolloProvider client={session.client}>
        <Panes id={id} />
      </ApolloProvider>
    </SessionContext>
  );
}

function Panes({ id }: { id: string }) {
  return (
    <div className={id ? 'panes open' : 'panes'}>
      <Inbox selected={id} />
      {id ? (
        <ConversationPane key={id} id={id} />
      ) : (
        <main className="pane empty">
          <MessagesSquare size={44} strokeWidth={1.25} /> Choose a conversation
        </main>
      )}
      <Problem error={useReactiveVar(failure)} label="Close" onClick={() => failure(undefined)} />
    </div>
  );
}

createRoot(document.getElementById('root') as HTMLElement).render(<App />);
