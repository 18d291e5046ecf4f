// Made by codegen.yml from schema/*.graphql; not edited by hand.
import type { Instant } from '../rest/date-time.ts';
import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { Message as MessageModel, Contact as ContactModel, Reaction as ReactionModel } from '../rest/message.ts';
import type { Conversation as ConversationModel } from '../rest/conversation.ts';
import type { Connection } from '../paging/connection.ts';
import type { MessageChange as MessageChangeModel, ConversationChange as ConversationChangeModel } from '../live/event.ts';
import type { GatewayContext } from '../resolvers/context.ts';
export type Maybe<T> = T | null;
export type InputMaybe<T> = Maybe<T>;
export type Omit<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>>;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /**
   * A point in time as an ISO 8601 date-time: `2026-03-01T09:30:00.000Z`, in UTC and to the millisecond. An input must name
   * its zone: `Z`, or another such as `+01:00`. The gateway recognizes the service's unit by the size of its timestamps; where it
   * cannot, the field is null with the error `NOT_CONFIGURED`.
   */
  DateTime: { input: Instant; output: string; }
  /** Any JSON value, passed through unread. */
  JSON: { input: unknown; output: unknown; }
  /**
   * An integer point in time, exactly as the messaging service returned it. Unit and epoch are the service's own;
   * any integer up to 2^53-1 passes unchanged in both directions.
   */
  Timestamp: { input: number; output: number; }
};

/** What happened to an object. */
export type ChangeKind =
  /** It came into the list. */
  | 'CREATED'
  /** It left the list. */
  | 'DELETED'
  /** One of its fields changed. */
  | 'UPDATED';

/** The sender of a message. */
export type Contact = {
  __typename?: 'Contact';
  /** Address of the avatar picture, where there is one. */
  avatarUrl: Maybe<Scalars['String']['output']>;
  /** When the contact was created. */
  createdAt: Scalars['Timestamp']['output'];
  /** The date-time of `createdAt`. */
  createdAtIso: Maybe<Scalars['DateTime']['output']>;
  /** The id the messaging service gave it. */
  id: Scalars['ID']['output'];
  /** When the contact was last active, where known. */
  lastActiveAt: Maybe<Scalars['Timestamp']['output']>;
  /** The date-time of `lastActiveAt`. */
  lastActiveAtIso: Maybe<Scalars['DateTime']['output']>;
  /** Phone number, where there is one. */
  phoneNumber: Maybe<Scalars['String']['output']>;
  /** The name reactions are recorded under. */
  username: Scalars['String']['output'];
};

/** A conversation between you and one contact, or between you and a group. */
export type Conversation = Node & {
  __typename?: 'Conversation';
  /** When it was archived; null when it is not. */
  archivedAt: Maybe<Scalars['Timestamp']['output']>;
  /** The date-time of `archivedAt`. */
  archivedAtIso: Maybe<Scalars['DateTime']['output']>;
  /** The id of the other contact. */
  contactId: Maybe<Scalars['ID']['output']>;
  /** When it was created. */
  createdAt: Scalars['Timestamp']['output'];
  /** The date-time of `createdAt`. */
  createdAtIso: Maybe<Scalars['DateTime']['output']>;
  /** The group. The gateway knows its id alone; in a federation, other subgraphs add fields. Costs no call, and so does not prove that it exists. */
  group: Maybe<Group>;
  /** The id of the group; null in a conversation with a single contact. */
  groupId: Maybe<Scalars['ID']['output']>;
  /** The id the messaging service gave it. */
  id: Scalars['ID']['output'];
  /** Whether you muted the conversation. */
  isMuted: Scalars['Boolean']['output'];
  /** Whether you pinned the conversation. */
  isPinned: Scalars['Boolean']['output'];
  /** When something last happened in it; null when it is new. */
  lastActiveAt: Maybe<Scalars['Timestamp']['output']>;
  /** The date-time of `lastActiveAt`. */
  lastActiveAtIso: Maybe<Scalars['DateTime']['output']>;
  /** When you last opened it; null when it is new. */
  lastOpenedAt: Maybe<Scalars['Timestamp']['output']>;
  /** The date-time of `lastOpenedAt`. */
  lastOpenedAtIso: Maybe<Scalars['DateTime']['output']>;
  /** Its messages, in the service's order. Ten, if neither `first` nor `last` is given. */
  messages: Maybe<MessageConnection>;
  /** Opaque id, unique over all types. */
  nodeId: Scalars['ID']['output'];
  /** The pinned message. Asking for its `id` or `nodeId` alone costs no call, and so does not prove that it exists. */
  pinnedMessage: Maybe<Message>;
  /** The id of the pinned message; null when none is pinned. */
  pinnedMessageId: Maybe<Scalars['ID']['output']>;
};


/** A conversation between you and one contact, or between you and a group. */
export type ConversationMessagesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};

/** A change of a conversation. */
export type ConversationChange = {
  __typename?: 'ConversationChange';
  /** The conversation as it is now; null when it was deleted. */
  conversation: Maybe<Conversation>;
  /** The id of the conversation. */
  conversationId: Scalars['ID']['output'];
  /** The `nodeId` of the conversation. */
  conversationNodeId: Scalars['ID']['output'];
  /** What happened to it. */
  kind: ChangeKind;
};

/** A page of conversations. */
export type ConversationConnection = {
  __typename?: 'ConversationConnection';
  /** The conversations with a cursor each. */
  edges: Array<ConversationEdge>;
  /** The conversations alone. One the service sent malformed is null, with an error at its place. */
  nodes: Array<Maybe<Conversation>>;
  /** Where this page lies in the list. */
  pageInfo: PageInfo;
};

/** A conversation and its place in the list. */
export type ConversationEdge = {
  __typename?: 'ConversationEdge';
  /** Its place in the list, to give as `after` or `before`. */
  cursor: Scalars['String']['output'];
  /** The conversation; null, with an error, if the service sent it malformed. */
  node: Maybe<Conversation>;
};

/** What `createConversation` takes: a contact, a group, or both. */
export type CreateConversationInput = {
  /** The contact to talk to. */
  contactId?: InputMaybe<Scalars['ID']['input']>;
  /** The group to talk to. */
  groupId?: InputMaybe<Scalars['ID']['input']>;
};

/** What `createConversation` returns. */
export type CreateConversationPayload = {
  __typename?: 'CreateConversationPayload';
  /** The conversation as the service created it. */
  conversation: Maybe<Conversation>;
};

/** What `deleteConversation` takes. */
export type DeleteConversationInput = {
  /** The conversation to delete, permanently, with all its messages. To keep it restorable, set `archivedAt` instead. */
  id: Scalars['ID']['input'];
};

/** What `deleteConversation` returns. */
export type DeleteConversationPayload = {
  __typename?: 'DeleteConversationPayload';
  /** The id of the conversation that is gone. */
  deletedConversationId: Maybe<Scalars['ID']['output']>;
  /** The `nodeId` of the conversation that is gone, for clients such as Relay that store objects by it. */
  deletedConversationNodeId: Maybe<Scalars['ID']['output']>;
};

/** What `deleteMessage` takes. */
export type DeleteMessageInput = {
  /** The message to delete, permanently. */
  id: Scalars['ID']['input'];
};

/** What `deleteMessage` returns. */
export type DeleteMessagePayload = {
  __typename?: 'DeleteMessagePayload';
  /** The id of the message that is gone. */
  deletedMessageId: Maybe<Scalars['ID']['output']>;
  /** The `nodeId` of the message that is gone, for clients such as Relay that store objects by it. */
  deletedMessageNodeId: Maybe<Scalars['ID']['output']>;
};

/** A group of contacts that talk in one conversation, known by its id alone. */
export type Group = {
  __typename?: 'Group';
  /** The id the messaging service gave it. */
  id: Scalars['ID']['output'];
};

/** A message of a conversation. */
export type Message = Node & {
  __typename?: 'Message';
  /** Its attachments, each as the service returned it. */
  attachments: Array<Scalars['JSON']['output']>;
  /** Who sent it. */
  contact: Contact;
  /** The conversation it belongs to. Asking for its `id` or `nodeId` alone costs no call, and so does not prove that it exists. */
  conversation: Maybe<Conversation>;
  /** The id of the conversation it belongs to. */
  conversationId: Scalars['ID']['output'];
  /** When it was created. */
  createdAt: Scalars['Timestamp']['output'];
  /** The date-time of `createdAt`. */
  createdAtIso: Maybe<Scalars['DateTime']['output']>;
  /** The id the messaging service gave it. */
  id: Scalars['ID']['output'];
  /** Its text. */
  message: Scalars['String']['output'];
  /** Opaque id, unique over all types. */
  nodeId: Scalars['ID']['output'];
  /** The reactions to it, one entry per reaction name. */
  reactions: Array<Reaction>;
  /** When it was read; null while unread. */
  readAt: Maybe<Scalars['Timestamp']['output']>;
  /** The date-time of `readAt`. */
  readAtIso: Maybe<Scalars['DateTime']['output']>;
  /** When it was last edited; null if never. */
  updatedAt: Maybe<Scalars['Timestamp']['output']>;
  /** The date-time of `updatedAt`. */
  updatedAtIso: Maybe<Scalars['DateTime']['output']>;
};

/** A change of a message. */
export type MessageChange = {
  __typename?: 'MessageChange';
  /** The id of the conversation that is watched. */
  conversationId: Scalars['ID']['output'];
  /** What happened to it. */
  kind: ChangeKind;
  /** The message as it is now; null when it was deleted. */
  message: Maybe<Message>;
  /** The id of the message. */
  messageId: Scalars['ID']['output'];
  /** The `nodeId` of the message. */
  messageNodeId: Scalars['ID']['output'];
};

/** A page of messages. */
export type MessageConnection = {
  __typename?: 'MessageConnection';
  /** The messages with a cursor each. */
  edges: Array<MessageEdge>;
  /** The messages alone. One the service sent malformed is null, with an error at its place. */
  nodes: Array<Maybe<Message>>;
  /** Where this page lies in the list. */
  pageInfo: PageInfo;
};

/** A message and its place in the list. */
export type MessageEdge = {
  __typename?: 'MessageEdge';
  /** Its place in the list, to give as `after` or `before`. */
  cursor: Scalars['String']['output'];
  /** The message; null, with an error, if the service sent it malformed. */
  node: Maybe<Message>;
};

/** Every write. Each is one call to the messaging service, made in the order given; a failed one is null with an error, and its neighbours go on. */
export type Mutation = {
  __typename?: 'Mutation';
  /** Opens a conversation with a contact or a group. */
  createConversation: Maybe<CreateConversationPayload>;
  /** Deletes a conversation and all its messages, permanently. */
  deleteConversation: Maybe<DeleteConversationPayload>;
  /** Deletes a message, permanently. */
  deleteMessage: Maybe<DeleteMessagePayload>;
  /** Sends a message to a conversation. */
  sendMessage: Maybe<SendMessagePayload>;
  /** Pins, mutes or archives a conversation, or pins a message in it. */
  updateConversation: Maybe<UpdateConversationPayload>;
  /** Edits a message, reacts to it, or changes its attachments. */
  updateMessage: Maybe<UpdateMessagePayload>;
};


/** Every write. Each is one call to the messaging service, made in the order given; a failed one is null with an error, and its neighbours go on. */
export type MutationCreateConversationArgs = {
  input: CreateConversationInput;
};


/** Every write. Each is one call to the messaging service, made in the order given; a failed one is null with an error, and its neighbours go on. */
export type MutationDeleteConversationArgs = {
  input: DeleteConversationInput;
};


/** Every write. Each is one call to the messaging service, made in the order given; a failed one is null with an error, and its neighbours go on. */
export type MutationDeleteMessageArgs = {
  input: DeleteMessageInput;
};


/** Every write. Each is one call to the messaging service, made in the order given; a failed one is null with an error, and its neighbours go on. */
export type MutationSendMessageArgs = {
  input: SendMessageInput;
};


/** Every write. Each is one call to the messaging service, made in the order given; a failed one is null with an error, and its neighbours go on. */
export type MutationUpdateConversationArgs = {
  input: UpdateConversationInput;
};


/** Every write. Each is one call to the messaging service, made in the order given; a failed one is null with an error, and its neighbours go on. */
export type MutationUpdateMessageArgs = {
  input: UpdateMessageInput;
};

/** Everything that can be fetched again by an opaque id that is unique over all types. */
export type Node = {
  /** Opaque id, unique over all types; `node(nodeId)` takes it. The service's own id is `id`. */
  nodeId: Scalars['ID']['output'];
};

/** Where a page lies in its list. */
export type PageInfo = {
  __typename?: 'PageInfo';
  /** Cursor of the last edge, to give as `after`; null when the page is empty. */
  endCursor: Maybe<Scalars['String']['output']>;
  /** Whether items follow this page. Exact when paging forward; when paging backward, true if items are known to follow. */
  hasNextPage: Scalars['Boolean']['output'];
  /** Whether items come before this page. Exact when paging backward; when paging forward, true if items are known to come before. */
  hasPreviousPage: Scalars['Boolean']['output'];
  /** Cursor of the first edge, to give as `before`; null when the page is empty. */
  startCursor: Maybe<Scalars['String']['output']>;
};

/** Where every read begins. A field that costs a call to the messaging service is nullable: when the call fails, that field alone is null and an error says why. */
export type Query = {
  __typename?: 'Query';
  /** One conversation; null when there is none of this id. */
  conversation: Maybe<Conversation>;
  /** Your conversations, in the service's order. Ten, if neither `first` nor `last` is given. Null when the named group is unknown. */
  conversations: Maybe<ConversationConnection>;
  /** One message; null when there is none of this id. */
  message: Maybe<Message>;
  /** Messages, of one conversation or of all, in the service's order. Ten, if neither `first` nor `last` is given. Null when the named conversation is unknown. */
  messages: Maybe<MessageConnection>;
  /** The object behind a `nodeId`; null when it does not exist. */
  node: Maybe<Node>;
  /** The objects behind several `nodeId`s, in the given order, repeats kept; an unknown one is null. */
  nodes: Array<Maybe<Node>>;
};


/** Where every read begins. A field that costs a call to the messaging service is nullable: when the call fails, that field alone is null and an error says why. */
export type QueryConversationArgs = {
  id: Scalars['ID']['input'];
};


/** Where every read begins. A field that costs a call to the messaging service is nullable: when the call fails, that field alone is null and an error says why. */
export type QueryConversationsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  archived?: InputMaybe<Scalars['Boolean']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  groupId?: InputMaybe<Scalars['ID']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  muted?: InputMaybe<Scalars['Boolean']['input']>;
  pinned?: InputMaybe<Scalars['Boolean']['input']>;
};


/** Where every read begins. A field that costs a call to the messaging service is nullable: when the call fails, that field alone is null and an error says why. */
export type QueryMessageArgs = {
  id: Scalars['ID']['input'];
};


/** Where every read begins. A field that costs a call to the messaging service is nullable: when the call fails, that field alone is null and an error says why. */
export type QueryMessagesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  conversationId?: InputMaybe<Scalars['ID']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** Where every read begins. A field that costs a call to the messaging service is nullable: when the call fails, that field alone is null and an error says why. */
export type QueryNodeArgs = {
  nodeId: Scalars['ID']['input'];
};


/** Where every read begins. A field that costs a call to the messaging service is nullable: when the call fails, that field alone is null and an error says why. */
export type QueryNodesArgs = {
  nodeIds: Array<Scalars['ID']['input']>;
};

/** One reaction to a message, and who reacted so. */
export type Reaction = {
  __typename?: 'Reaction';
  /** How many reacted. */
  count: Scalars['Int']['output'];
  /** Its name, for example `heart` or an emoji. */
  name: Scalars['String']['output'];
  /** Usernames of those who reacted, each once. */
  usernames: Array<Scalars['String']['output']>;
};

/** A reaction name and everybody who reacts so. */
export type ReactionInput = {
  /** The reaction's name; any text but `[` and `]`. */
  name: Scalars['String']['input'];
  /** Usernames of those who react so; an empty list empties the reaction. */
  usernames: Array<Scalars['String']['input']>;
};

/** What `sendMessage` takes. */
export type SendMessageInput = {
  /** Attachments of any shape. They travel as a form, which knows no types: numbers and booleans arrive at the service as text. */
  attachments?: InputMaybe<Array<Scalars['JSON']['input']>>;
  /** The conversation to send to. */
  conversationId: Scalars['ID']['input'];
  /** The text. */
  message: Scalars['String']['input'];
};

/** What `sendMessage` returns. */
export type SendMessagePayload = {
  __typename?: 'SendMessagePayload';
  /** The message as the service created it. */
  message: Maybe<Message>;
};

/** Changes as they happen. A field sends one event for each change after it has begun, in the order of the list; what is there at its beginning is not sent. */
export type Subscription = {
  __typename?: 'Subscription';
  /** Changes of your conversations, among the newest ones. */
  conversationChanged: ConversationChange;
  /** Changes of the messages of one conversation, among its newest ones. */
  messageChanged: MessageChange;
};


/** Changes as they happen. A field sends one event for each change after it has begun, in the order of the list; what is there at its beginning is not sent. */
export type SubscriptionMessageChangedArgs = {
  conversationId: Scalars['ID']['input'];
};

/** What `updateConversation` takes. A field left out is left as it is; at least one must be given. */
export type UpdateConversationInput = {
  /** When it was archived, in the service's unit; null takes it out of the archive. Give this or `archivedAtIso`, not both. */
  archivedAt?: InputMaybe<Scalars['Timestamp']['input']>;
  /** The same as a date-time. The gateway writes it in the service's unit, and drops what is finer than that. */
  archivedAtIso?: InputMaybe<Scalars['DateTime']['input']>;
  /** The conversation to update. */
  id: Scalars['ID']['input'];
  /** Whether it is muted. */
  isMuted?: InputMaybe<Scalars['Boolean']['input']>;
  /** Whether it is pinned. */
  isPinned?: InputMaybe<Scalars['Boolean']['input']>;
  /** The message to pin; null unpins. */
  pinnedMessageId?: InputMaybe<Scalars['ID']['input']>;
};

/** What `updateConversation` returns. */
export type UpdateConversationPayload = {
  __typename?: 'UpdateConversationPayload';
  /** The conversation as the service updated it. */
  conversation: Maybe<Conversation>;
};

/** What `updateMessage` takes. A field left out is left as it is; at least one must be given. */
export type UpdateMessageInput = {
  /** Its attachments; null or an empty list clears them. */
  attachments?: InputMaybe<Array<Scalars['JSON']['input']>>;
  /** The message to update. */
  id: Scalars['ID']['input'];
  /** Its new text. */
  message?: InputMaybe<Scalars['String']['input']>;
  /** Its reactions; null or an empty list clears them. Whether the service adds these to the existing ones or replaces them is the service's: the payload shows. */
  reactions?: InputMaybe<Array<ReactionInput>>;
};

/** What `updateMessage` returns. */
export type UpdateMessagePayload = {
  __typename?: 'UpdateMessagePayload';
  /** The message as the service updated it. */
  message: Maybe<Message>;
};



export type ResolverTypeWrapper<T> = Promise<T> | T;


export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;




/** Mapping of interface types */
export type ResolversInterfaceTypes<_RefType extends Record<string, unknown>> = {
  Node:
    | ( ConversationModel )
    | ( MessageModel )
  ;
};

/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  ChangeKind: ChangeKind;
  Contact: ResolverTypeWrapper<ContactModel>;
  Conversation: ResolverTypeWrapper<ConversationModel>;
  ConversationChange: ResolverTypeWrapper<ConversationChangeModel>;
  ConversationConnection: ResolverTypeWrapper<Connection<ConversationModel>>;
  ConversationEdge: ResolverTypeWrapper<Omit<ConversationEdge, 'node'> & { node?: Maybe<ResolversTypes['Conversation']> }>;
  CreateConversationInput: CreateConversationInput;
  CreateConversationPayload: ResolverTypeWrapper<Omit<CreateConversationPayload, 'conversation'> & { conversation?: Maybe<ResolversTypes['Conversation']> }>;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  DeleteConversationInput: DeleteConversationInput;
  DeleteConversationPayload: ResolverTypeWrapper<DeleteConversationPayload>;
  DeleteMessageInput: DeleteMessageInput;
  DeleteMessagePayload: ResolverTypeWrapper<DeleteMessagePayload>;
  Group: ResolverTypeWrapper<Group>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  JSON: ResolverTypeWrapper<Scalars['JSON']['output']>;
  Message: ResolverTypeWrapper<MessageModel>;
  MessageChange: ResolverTypeWrapper<MessageChangeModel>;
  MessageConnection: ResolverTypeWrapper<Connection<MessageModel>>;
  MessageEdge: ResolverTypeWrapper<Omit<MessageEdge, 'node'> & { node?: Maybe<ResolversTypes['Message']> }>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Node: ResolverTypeWrapper<ResolversInterfaceTypes<ResolversTypes>['Node']>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Reaction: ResolverTypeWrapper<ReactionModel>;
  ReactionInput: ReactionInput;
  SendMessageInput: SendMessageInput;
  SendMessagePayload: ResolverTypeWrapper<Omit<SendMessagePayload, 'message'> & { message?: Maybe<ResolversTypes['Message']> }>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Subscription: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Timestamp: ResolverTypeWrapper<Scalars['Timestamp']['output']>;
  UpdateConversationInput: UpdateConversationInput;
  UpdateConversationPayload: ResolverTypeWrapper<Omit<UpdateConversationPayload, 'conversation'> & { conversation?: Maybe<ResolversTypes['Conversation']> }>;
  UpdateMessageInput: UpdateMessageInput;
  UpdateMessagePayload: ResolverTypeWrapper<Omit<UpdateMessagePayload, 'message'> & { message?: Maybe<ResolversTypes['Message']> }>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  Boolean: Scalars['Boolean']['output'];
  Contact: ContactModel;
  Conversation: ConversationModel;
  ConversationChange: ConversationChangeModel;
  ConversationConnection: Connection<ConversationModel>;
  ConversationEdge: Omit<ConversationEdge, 'node'> & { node?: Maybe<ResolversParentTypes['Conversation']> };
  CreateConversationInput: CreateConversationInput;
  CreateConversationPayload: Omit<CreateConversationPayload, 'conversation'> & { conversation?: Maybe<ResolversParentTypes['Conversation']> };
  DateTime: Scalars['DateTime']['output'];
  DeleteConversationInput: DeleteConversationInput;
  DeleteConversationPayload: DeleteConversationPayload;
  DeleteMessageInput: DeleteMessageInput;
  DeleteMessagePayload: DeleteMessagePayload;
  Group: Group;
  ID: Scalars['ID']['output'];
  Int: Scalars['Int']['output'];
  JSON: Scalars['JSON']['output'];
  Message: MessageModel;
  MessageChange: MessageChangeModel;
  MessageConnection: Connection<MessageModel>;
  MessageEdge: Omit<MessageEdge, 'node'> & { node?: Maybe<ResolversParentTypes['Message']> };
  Mutation: Record<PropertyKey, never>;
  Node: ResolversInterfaceTypes<ResolversParentTypes>['Node'];
  PageInfo: PageInfo;
  Query: Record<PropertyKey, never>;
  Reaction: ReactionModel;
  ReactionInput: ReactionInput;
  SendMessageInput: SendMessageInput;
  SendMessagePayload: Omit<SendMessagePayload, 'message'> & { message?: Maybe<ResolversParentTypes['Message']> };
  String: Scalars['String']['output'];
  Subscription: Record<PropertyKey, never>;
  Timestamp: Scalars['Timestamp']['output'];
  UpdateConversationInput: UpdateConversationInput;
  UpdateConversationPayload: Omit<UpdateConversationPayload, 'conversation'> & { conversation?: Maybe<ResolversParentTypes['Conversation']> };
  UpdateMessageInput: UpdateMessageInput;
  UpdateMessagePayload: Omit<UpdateMessagePayload, 'message'> & { message?: Maybe<ResolversParentTypes['Message']> };
};

export type ContactResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['Contact'] = ResolversParentTypes['Contact']> = {
  avatarUrl?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['Timestamp'], ParentType, ContextType>;
  createdAtIso?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  lastActiveAt?: Resolver<Maybe<ResolversTypes['Timestamp']>, ParentType, ContextType>;
  lastActiveAtIso?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  phoneNumber?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  username?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type ConversationResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['Conversation'] = ResolversParentTypes['Conversation']> = {
  archivedAt?: Resolver<Maybe<ResolversTypes['Timestamp']>, ParentType, ContextType>;
  archivedAtIso?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  contactId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['Timestamp'], ParentType, ContextType>;
  createdAtIso?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  group?: Resolver<Maybe<ResolversTypes['Group']>, ParentType, ContextType>;
  groupId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  isMuted?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  isPinned?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  lastActiveAt?: Resolver<Maybe<ResolversTypes['Timestamp']>, ParentType, ContextType>;
  lastActiveAtIso?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  lastOpenedAt?: Resolver<Maybe<ResolversTypes['Timestamp']>, ParentType, ContextType>;
  lastOpenedAtIso?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  messages?: Resolver<Maybe<ResolversTypes['MessageConnection']>, ParentType, ContextType, Partial<ConversationMessagesArgs>>;
  nodeId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  pinnedMessage?: Resolver<Maybe<ResolversTypes['Message']>, ParentType, ContextType>;
  pinnedMessageId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type ConversationChangeResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['ConversationChange'] = ResolversParentTypes['ConversationChange']> = {
  conversation?: Resolver<Maybe<ResolversTypes['Conversation']>, ParentType, ContextType>;
  conversationId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  conversationNodeId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['ChangeKind'], ParentType, ContextType>;
};

export type ConversationConnectionResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['ConversationConnection'] = ResolversParentTypes['ConversationConnection']> = {
  edges?: Resolver<Array<ResolversTypes['ConversationEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<Maybe<ResolversTypes['Conversation']>>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type ConversationEdgeResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['ConversationEdge'] = ResolversParentTypes['ConversationEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<Maybe<ResolversTypes['Conversation']>, ParentType, ContextType>;
};

export type CreateConversationPayloadResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['CreateConversationPayload'] = ResolversParentTypes['CreateConversationPayload']> = {
  conversation?: Resolver<Maybe<ResolversTypes['Conversation']>, ParentType, ContextType>;
};

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export type DeleteConversationPayloadResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['DeleteConversationPayload'] = ResolversParentTypes['DeleteConversationPayload']> = {
  deletedConversationId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  deletedConversationNodeId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
};

export type DeleteMessagePayloadResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['DeleteMessagePayload'] = ResolversParentTypes['DeleteMessagePayload']> = {
  deletedMessageId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  deletedMessageNodeId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
};

export type GroupResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['Group'] = ResolversParentTypes['Group']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
};

export interface JsonScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['JSON'], any> {
  name: 'JSON';
}

export type MessageResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['Message'] = ResolversParentTypes['Message']> = {
  attachments?: Resolver<Array<ResolversTypes['JSON']>, ParentType, ContextType>;
  contact?: Resolver<ResolversTypes['Contact'], ParentType, ContextType>;
  conversation?: Resolver<Maybe<ResolversTypes['Conversation']>, ParentType, ContextType>;
  conversationId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['Timestamp'], ParentType, ContextType>;
  createdAtIso?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  message?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  nodeId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  reactions?: Resolver<Array<ResolversTypes['Reaction']>, ParentType, ContextType>;
  readAt?: Resolver<Maybe<ResolversTypes['Timestamp']>, ParentType, ContextType>;
  readAtIso?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  updatedAt?: Resolver<Maybe<ResolversTypes['Timestamp']>, ParentType, ContextType>;
  updatedAtIso?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type MessageChangeResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['MessageChange'] = ResolversParentTypes['MessageChange']> = {
  conversationId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['ChangeKind'], ParentType, ContextType>;
  message?: Resolver<Maybe<ResolversTypes['Message']>, ParentType, ContextType>;
  messageId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  messageNodeId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
};

export type MessageConnectionResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['MessageConnection'] = ResolversParentTypes['MessageConnection']> = {
  edges?: Resolver<Array<ResolversTypes['MessageEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<Maybe<ResolversTypes['Message']>>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type MessageEdgeResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['MessageEdge'] = ResolversParentTypes['MessageEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<Maybe<ResolversTypes['Message']>, ParentType, ContextType>;
};

export type MutationResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  createConversation?: Resolver<Maybe<ResolversTypes['CreateConversationPayload']>, ParentType, ContextType, RequireFields<MutationCreateConversationArgs, 'input'>>;
  deleteConversation?: Resolver<Maybe<ResolversTypes['DeleteConversationPayload']>, ParentType, ContextType, RequireFields<MutationDeleteConversationArgs, 'input'>>;
  deleteMessage?: Resolver<Maybe<ResolversTypes['DeleteMessagePayload']>, ParentType, ContextType, RequireFields<MutationDeleteMessageArgs, 'input'>>;
  sendMessage?: Resolver<Maybe<ResolversTypes['SendMessagePayload']>, ParentType, ContextType, RequireFields<MutationSendMessageArgs, 'input'>>;
  updateConversation?: Resolver<Maybe<ResolversTypes['UpdateConversationPayload']>, ParentType, ContextType, RequireFields<MutationUpdateConversationArgs, 'input'>>;
  updateMessage?: Resolver<Maybe<ResolversTypes['UpdateMessagePayload']>, ParentType, ContextType, RequireFields<MutationUpdateMessageArgs, 'input'>>;
};

export type NodeResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['Node'] = ResolversParentTypes['Node']> = {
  __resolveType: TypeResolveFn<'Conversation' | 'Message', ParentType, ContextType>;
};

export type PageInfoResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type QueryResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  conversation?: Resolver<Maybe<ResolversTypes['Conversation']>, ParentType, ContextType, RequireFields<QueryConversationArgs, 'id'>>;
  conversations?: Resolver<Maybe<ResolversTypes['ConversationConnection']>, ParentType, ContextType, Partial<QueryConversationsArgs>>;
  message?: Resolver<Maybe<ResolversTypes['Message']>, ParentType, ContextType, RequireFields<QueryMessageArgs, 'id'>>;
  messages?: Resolver<Maybe<ResolversTypes['MessageConnection']>, ParentType, ContextType, Partial<QueryMessagesArgs>>;
  node?: Resolver<Maybe<ResolversTypes['Node']>, ParentType, ContextType, RequireFields<QueryNodeArgs, 'nodeId'>>;
  nodes?: Resolver<Array<Maybe<ResolversTypes['Node']>>, ParentType, ContextType, RequireFields<QueryNodesArgs, 'nodeIds'>>;
};

export type ReactionResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['Reaction'] = ResolversParentTypes['Reaction']> = {
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  usernames?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
};

export type SendMessagePayloadResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['SendMessagePayload'] = ResolversParentTypes['SendMessagePayload']> = {
  message?: Resolver<Maybe<ResolversTypes['Message']>, ParentType, ContextType>;
};

export type SubscriptionResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['Subscription'] = ResolversParentTypes['Subscription']> = {
  conversationChanged?: SubscriptionResolver<ResolversTypes['ConversationChange'], "conversationChanged", ParentType, ContextType>;
  messageChanged?: SubscriptionResolver<ResolversTypes['MessageChange'], "messageChanged", ParentType, ContextType, RequireFields<SubscriptionMessageChangedArgs, 'conversationId'>>;
};

export interface TimestampScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Timestamp'], any> {
  name: 'Timestamp';
}

export type UpdateConversationPayloadResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['UpdateConversationPayload'] = ResolversParentTypes['UpdateConversationPayload']> = {
  conversation?: Resolver<Maybe<ResolversTypes['Conversation']>, ParentType, ContextType>;
};

export type UpdateMessagePayloadResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['UpdateMessagePayload'] = ResolversParentTypes['UpdateMessagePayload']> = {
  message?: Resolver<Maybe<ResolversTypes['Message']>, ParentType, ContextType>;
};

export type Resolvers<ContextType = GatewayContext> = {
  Contact?: ContactResolvers<ContextType>;
  Conversation?: ConversationResolvers<ContextType>;
  ConversationChange?: ConversationChangeResolvers<ContextType>;
  ConversationConnection?: ConversationConnectionResolvers<ContextType>;
  ConversationEdge?: ConversationEdgeResolvers<ContextType>;
  CreateConversationPayload?: CreateConversationPayloadResolvers<ContextType>;
  DateTime?: GraphQLScalarType;
  DeleteConversationPayload?: DeleteConversationPayloadResolvers<ContextType>;
  DeleteMessagePayload?: DeleteMessagePayloadResolvers<ContextType>;
  Group?: GroupResolvers<ContextType>;
  JSON?: GraphQLScalarType;
  Message?: MessageResolvers<ContextType>;
  MessageChange?: MessageChangeResolvers<ContextType>;
  MessageConnection?: MessageConnectionResolvers<ContextType>;
  MessageEdge?: MessageEdgeResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  Node?: NodeResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  Reaction?: ReactionResolvers<ContextType>;
  SendMessagePayload?: SendMessagePayloadResolvers<ContextType>;
  Subscription?: SubscriptionResolvers<ContextType>;
  Timestamp?: GraphQLScalarType;
  UpdateConversationPayload?: UpdateConversationPayloadResolvers<ContextType>;
  UpdateMessagePayload?: UpdateMessagePayloadResolvers<ContextType>;
};

