import { ApolloLink } from '@apollo/client';
import { Observable } from 'rxjs';
import { resuming } from './live-resume.ts';

/** Before the link that sends subscriptions: when it connects again, it asks for what was missed. */
export const resumeLink = new ApolloLink(
  (operation, forward) =>
    new Observable((sink) =>
      forward(operation).subscribe(resuming(operation.variables, sink)),
    ),
);
