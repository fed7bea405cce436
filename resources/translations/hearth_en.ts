<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>Announcer</name>
    <message numerus="yes">
        <source>The answer is there, %n word(s).</source>
        <translation>
            <numerusform>The answer is there, %n word.</numerusform>
            <numerusform>The answer is there, %n words.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>AnswerView</name>
    <message numerus="yes">
        <source>Answer, %n word(s)</source>
        <translation>
            <numerusform>Answer, %n word</numerusform>
            <numerusform>Answer, %n words</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CallRunLine</name>
    <message numerus="yes">
        <source>%n tool call(s)</source>
        <translation>
            <numerusform>%n tool call</numerusform>
            <numerusform>%n tool calls</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ChatCollections</name>
    <message numerus="yes">
        <source>%n collection(s)</source>
        <translation>
            <numerusform>%n collection</numerusform>
            <numerusform>%n collections</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ChatPane</name>
    <message numerus="yes">
        <source>Older messages are still being read: %n to go.</source>
        <translation>
            <numerusform>Older messages are still being read: %n to go.</numerusform>
            <numerusform>Older messages are still being read: %n to go.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CollectionPage</name>
    <message numerus="yes">
        <source>%n file(s)</source>
        <translation>
            <numerusform>%n file</numerusform>
            <numerusform>%n files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n passage(s)</source>
        <translation>
            <numerusform>%n passage</numerusform>
            <numerusform>%n passages</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ConversationModel</name>
    <message numerus="yes">
        <source>%n more in this chat</source>
        <translation>
            <numerusform>%n more in this chat</numerusform>
            <numerusform>%n more in this chat</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Archived (%n)</source>
        <translation>
            <numerusform>Archived (%n)</numerusform>
            <numerusform>Archived (%n)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Folder, %n inside</source>
        <translation>
            <numerusform>Folder, %n inside</numerusform>
            <numerusform>Folder, %n inside</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>found in %n messages</source>
        <translation>
            <numerusform>found in %n message</numerusform>
            <numerusform>found in %n messages</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DocumentChip</name>
    <message numerus="yes">
        <source>all %n page(s)</source>
        <translation>
            <numerusform>the only page</numerusform>
            <numerusform>all %n pages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>its %n passage(s)</source>
        <translation>
            <numerusform>its %n passage</numerusform>
            <numerusform>its %n passages</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RemoveCollectionDialog</name>
    <message numerus="yes">
        <source>Hearth forgets what it read of %n file(s), which stay where they are.</source>
        <translation>
            <numerusform>Hearth forgets what it read of %n file, which stays where it is.</numerusform>
            <numerusform>Hearth forgets what it read of %n files, which stay where they are.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ServerCard</name>
    <message numerus="yes">
        <source>%n tool(s), about {tokens} tokens</source>
        <translation>
            <numerusform>%n tool, about {tokens} tokens</numerusform>
            <numerusform>%n tools, about {tokens} tokens</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message numerus="yes">
        <source>Trash (%n)</source>
        <translation>
            <numerusform>Trash (%n)</numerusform>
            <numerusform>Trash (%n)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SidebarPresenter</name>
    <message numerus="yes">
        <source>Delete everything in the trash for good, %n in all?</source>
        <translation>
            <numerusform>Delete everything in the trash for good, %n in all?</numerusform>
            <numerusform>Delete everything in the trash for good, %n in all?</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SourceChips</name>
    <message numerus="yes">
        <source>Looked at %n more</source>
        <translation>
            <numerusform>Looked at %n more</numerusform>
            <numerusform>Looked at %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>%n more</numerusform>
            <numerusform>%n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ToolsButton</name>
    <message numerus="yes">
        <source>%n tool(s)</source>
        <translation>
            <numerusform>%n tool</numerusform>
            <numerusform>%n tools</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ToolsPresenter</name>
    <message numerus="yes">
        <source>%n tool(s), about {tokens} tokens</source>
        <translation>
            <numerusform>%n tool, about {tokens} tokens</numerusform>
            <numerusform>%n tools, about {tokens} tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tool(s), {tokens} tokens, {time}</source>
        <translation>
            <numerusform>%n tool, {tokens} tokens, {time}</numerusform>
            <numerusform>%n tools, {tokens} tokens, {time}</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TrashBar</name>
    <message numerus="yes">
        <source>After %n days here, chats are deleted for good.</source>
        <translation>
            <numerusform>After %n day here, chats are deleted for good.</numerusform>
            <numerusform>After %n days here, chats are deleted for good.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>documents</name>
    <message numerus="yes">
        <source>%n page(s)</source>
        <translation>
            <numerusform>%n page</numerusform>
            <numerusform>%n pages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n passage(s)</source>
        <translation>
            <numerusform>%n passage</numerusform>
            <numerusform>%n passages</numerusform>
        </translation>
    </message>
</context>
</TS>
