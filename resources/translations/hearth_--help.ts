<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="--help" sourcelanguage="en">
<context>
    <name>AboutDialog</name>
    <message>
        <source>About Hearth</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Version {version}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Talk to language models that run on your own machine. Nothing you type leaves it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Built on llama.cpp and Qt. The typefaces are Inter and JetBrains Mono, under the SIL Open Font License.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AboutWithLicences</name>
    <message>
        <source>The licences of all that Hearth is made of</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Licences</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Actions</name>
    <message>
        <source>&amp;New chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rena&amp;me chat…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Delete chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo the &amp;last removal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answe&amp;r again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer again &amp;with another model…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Two answers side &amp;by side</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answers side by side, wit&amp;h presets…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Co&amp;ntinue the last answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Edit the last question</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pre&amp;vious version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ne&amp;xt version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Copy the last answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a pict&amp;ure…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a recordin&amp;g…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A&amp;ttach a file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Open a model file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Choose a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Unload the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Models…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Doc&amp;uments…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Write a message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Find in this conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find ne&amp;xt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find pre&amp;vious</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>S&amp;earch conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Jump to the end</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Hide or show the sidebar</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wh&amp;at is in the context</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Larger text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Smaller text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Usual text size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Co&amp;mmand palette…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a &amp;preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Edit presets…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exp&amp;ort…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Import…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save t&amp;he state…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open &amp;a saved state…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Print…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Back up everything…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore a bac&amp;kup…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Settings…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the &amp;menu</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;About Hearth</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Theme: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Menu</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ans&amp;wer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mo&amp;del</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Go to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Presets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Te&amp;xt size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the &amp;system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AdapterList</name>
    <message>
        <source>A GGUF file that was made from a LoRA adapter of this very model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add an adapter…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Adapters (*.gguf)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a LoRA adapter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Adapters (LoRA)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Small files that teach this model a style or a subject. None is in use.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AdapterRow</name>
    <message>
        <source>Take {adapter} off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scale of {adapter}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 is as it was trained, 0 is without it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a number between {least} and {most}.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AddServer</name>
    <message>
        <source>npx -y @modelcontextprotocol/server-filesystem ~/Documents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>API_KEY=…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{&quot;mcpServers&quot;: {&quot;name&quot;: {&quot;command&quot;: &quot;…&quot;, &quot;args&quot;: [&quot;…&quot;]}}}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is a server {name}: this one takes its place.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Replace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Command or address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name (may be empty)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Environment variables, or headers of an address: one NAME=value on each line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Or the JSON that the server&apos;s page gives, or the link of its button</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Announcer</name>
    <message>
        <source>The model is reading.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A tool waits for your permission.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopping.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The answer was stopped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer: {text}</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>The answer is there, %n word(s).</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>AnswerColumn</name>
    <message>
        <source>Stop {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep this one</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AnswerColumns</name>
    <message>
        <source>Answers side by side</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer {n}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AnswerStatus</name>
    <message>
        <source>Hearth was closed while this was being written; the rest is missing.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Something went wrong here, and the answer ends early.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The answer only repeated itself, so it was stopped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The context is full: the answer ends here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The limit on the answer&apos;s length was reached.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thinking…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for the model…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waits until another answer has ended…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waits until another answer leaves room in the context…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{why} It is asked again.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AnswerView</name>
    <message>
        <source>What a tool gave</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer that is being written</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Answer, %n word(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>AnswerWithPresenter</name>
    <message>
        <source>Answer again with…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model} has answered; the answer from before is the other version.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to {model}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ApiPage</name>
    <message>
        <source>Copy the address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make a key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Programs find the model at {address}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off: no program can use the model.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ApprovalBar</name>
    <message>
        <source>Permission</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Arguments, as JSON</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Allow once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In this chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Allow in this chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Until Hearth is closed, it does not ask here again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Always</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Allow always</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In all chats, until you take it back in the settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change the arguments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Don&apos;t allow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reason (optional)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reason for not allowing it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model is told why; Enter does not allow it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As it was</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AttachButton</name>
    <message>
        <source>Add pictures, recordings or files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a picture…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a recording…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Attach a file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Documents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From a server</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AttachmentChip</name>
    <message>
        <source>A file without a name</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AttachmentItem</name>
    <message>
        <source>{attachment}, remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AttachmentsPresenter</name>
    <message>
        <source>Pictures ({patterns})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add pictures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recordings ({patterns})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add recordings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Office files (*.docx *.xlsx *.pptx *.odt *.ods *.odp *.epub *.eml)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PDF files (*.pdf)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text files (*.txt *.md)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Attach files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pasted text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The long text was attached as a file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Put it into the field</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} holds pictures of pages and no text; a model that sees could be shown them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} holds pictures of {n} pages and no text; the first {most} can be added as pictures.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} holds pictures of {n} pages and no text; they can be added as pictures.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add the pages</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AudioChip</name>
    <message>
        <source>Enter plays the recording, Delete removes it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recording {place} of {count}: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the model is listening to it already</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A click plays it</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AudioTray</name>
    <message>
        <source>Recordings of this message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The message goes as soon as its recordings are read…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>BackupDialog</name>
    <message>
        <source>Back up everything</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Conversations, pictures, documents, presets and settings; no models.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Writing {name}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Everything is in {name} ({size}).</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>BlockSelection</name>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy as Markdown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy message</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>BlocksView</name>
    <message>
        <source>Answer</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>BrowseButton</name>
    <message>
        <source>Browse…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{label}: choose a folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a folder</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CallRunLine</name>
    <message>
        <source>{n} failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} not allowed</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n tool call(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ChatCollections</name>
    <message>
        <source>Collections that are looked through for each question</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n collection(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Documents of this chat: {names}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Collections of documents…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChatController</name>
    <message>
        <source>A picture</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChatMenus</name>
    <message>
        <source>Rename</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bring back from the archive</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Archive</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep warm on disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the model has read of this chat is kept for the next start.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete the folder, keep its chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete for good…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move to a folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Out of the folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move down</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sort by time</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChatPane</name>
    <message>
        <source>The trash is empty.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Older messages are still being read: %n to go.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing was found.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your conversations will be listed here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChatRowPainter</name>
    <message>
        <source>Name of the folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Title</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You · {when}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer · {when}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CitationMarks</name>
    <message>
        <source>Check this: only some of these words stand there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check this: {words} can&apos;t be found there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pasted text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These words do not stand there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These words stand rather in [{number}].</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These words stand there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name}, page {page}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ClearButton</name>
    <message>
        <source>Clear</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ClientChip</name>
    <message>
        <source>Stop them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} programs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 program</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{who}: answering through the local API</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CodeBlock</name>
    <message>
        <source>Wrap long lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the code as a file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>text</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CodeText</name>
    <message>
        <source>Code</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CollectionModelsDialog</name>
    <message>
        <source>Search by meaning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By words alone, a question finds what uses its words. A small embedding model finds what means the same, too: it works through every passage once, in the background. A reranking model puts what was found in a better order, and makes each search slower.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Embedding model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reranking model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is a usual choice ({size} MB, {licence}). It was not tried with Hearth.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use these</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CollectionPage</name>
    <message>
        <source>Search these documents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask as you would ask a person: any of the words may be there</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folders and files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Passages found</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add files…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hearth forgets it; the files stay where they are</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search by meaning…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose models that help to find passages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n file(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>{count} of them not read</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n passage(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>found by words alone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is nothing in this collection yet. Add a folder, or drop files here: PDF and office files, books, web pages, mail, notes and source code. They stay where they are.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing in these documents has any of these words.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show in the file manager</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try to read it again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ColumnsDialog</name>
    <message>
        <source>Answers side by side</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The last question is answered once by each of these, at the same time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As this chat is set</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No third answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CommandPalette</name>
    <message>
        <source>Nothing is called that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Command palette</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type what you want to do, or the title of a chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Found</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Get a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose pages…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find it…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ComposerPresenter</name>
    <message>
        <source>The message was taken out of the queue.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ContextGauge</name>
    <message>
        <source>The context is full.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The context is nearly full.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{used} tokens are used. The server does not tell how many its model takes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>About {used} tokens are used. The server does not tell how many its model takes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This conversation has {used} tokens, and the context holds {size}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This conversation has about {used} tokens, and the context holds {size}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{used} of {size} tokens are used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>About {used} of {size} tokens are used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context: {told}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Full</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{share}, nearly full</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{share} full</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ContextPopover</name>
    <message>
        <source>Context</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remembered</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Places to go back to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} tokens are remembered and need not be read again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is remembered yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} tokens are remembered; sending this would read {read} more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This model needs none: it can go back to any place.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None has been taken yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One, at {places}; it takes {size}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{number}, the last at {places}; they take {size}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{number}, at {places}; they take {size}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop and say so</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop the oldest turns, keep the system prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop the middle, keep the first turns and the last</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When the context is full</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ConversationModel</name>
    <message numerus="yes">
        <source>%n more in this chat</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>A tool waits for your permission.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An answer is being written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Archived (%n)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Folder, %n inside</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is a new answer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warm: what the model has read of it is in memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warm: what the model has read of it is kept on disk.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>folded</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>found in %n messages</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>open</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CopyButton</name>
    <message>
        <source>Copied</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DetailsDialog</name>
    <message>
        <source>Details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DiscoverFilters</name>
    <message>
        <source>Search Hugging Face</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Task</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Size, in parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Licence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Any licence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Likes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Order</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Popular now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most downloads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most likes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Newest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changed last</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Any task</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pictures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Any size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Up to 4B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>4B to 15B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>15B to 40B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Over 40B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Any number of likes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>10 likes or more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>100 likes or more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1,000 likes or more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search Hugging Face: name, maker or subject</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DiscoverPage</name>
    <message>
        <source>Models on Hugging Face</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Update the list of good models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Downloads it from the address in the settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>‹ Back to the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the list (Alt+Left)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show what is here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was found. Try fewer words or filters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Popular on Hugging Face</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Because of a fault in Hearth it isn&apos;t known whether there is room. The log tells more.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DocumentChip</name>
    <message>
        <source>Enter shows the text, P changes between all of it and its best passages, Delete removes the file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading, {percent} %</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>all %n page(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>{n} tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>≈ {n} tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about {time} once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>best passages; counting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>its %n passage(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>the {most} best passages of {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hand over all of it instead</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hand over only the best passages for each question instead</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Put it into the field</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hand over all of it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only the best passages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose pages…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>File {place} of {count}: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model has counted the tokens yet: the number is reckoned.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DocumentChips</name>
    <message>
        <source>Pasted text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name}, {size}: show the text</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DocumentDialog</name>
    <message>
        <source>This is what the model reads of it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text of the document</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find in this text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look for words in this text (Ctrl+F)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Page {n}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DocumentTray</name>
    <message>
        <source>Files of this message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The message goes as soon as its files are read…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DocumentsDialog</name>
    <message>
        <source>Documents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Collections</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New collection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask your own files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A collection is folders and files that Hearth reads in the background, so that you can search them by what they say and models can look things up in them. The files stay where they are, and nothing leaves this computer. Choose a folder, or drop folders and files here.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DownloadChip</name>
    <message>
        <source>↓ {percent} %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Download stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Downloads: {percent}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DownloadRow</name>
    <message>
        <source>From where it stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Takes it off this list; the file stays</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Asks what to do with what is there</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is there stays</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter a token…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For models that are gated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In the file manager</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clear</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load it and talk to it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name}: {percent} %</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DownloadsPage</name>
    <message>
        <source>Nothing is being downloaded. Find a model under Discover; here you see how far it is.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Discover models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For what is downloaded from now on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The one of Hugging Face, which other programs find models in as well</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use the shared folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Downloads go to {folder}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Downloads go to {folder}, which other programs use as well.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{size} is free there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a folder for models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel the download</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What shall become of the {size} of {name} that are here?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is kept is not downloaded again if you want the model later.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep the part</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete the part</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave it paused</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DownloadsPresenter</name>
    <message>
        <source>{name} stopped. {problem}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is on this computer now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chat</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DraftAttachments</name>
    <message>
        <source>{name}, page {number}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DraftersPanel</name>
    <message>
        <source>Drafters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load a model to see here what it can draft with.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ready. Adapters don&apos;t change it, so fewer of its drafts may be right.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off. The batch size is too small to check a draft.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off. {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off. This model has a head that could be used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off. The chosen file is a head, and works as MTP.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off. No draft model is chosen.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is drafted for this model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is drafted: checking a draft gives slightly other numbers on this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With drafts: {sameness}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drafts have at most {count} tokens for that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This model can&apos;t simply go back, so a wrong draft costs more.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ExchangePresenter</name>
    <message>
        <source>Hearth, ChatGPT, LM Studio (*.json *.zip)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back up everything</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Backups (*{ending})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore a backup</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The conversation is in {name}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} conversations are in {name}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the folder</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ExportDialog</name>
    <message>
        <source>Export</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All conversations ({count})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Markdown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Web page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PDF</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>JSON</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With the reasoning of the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Writing {name}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hearth conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text that any editor shows. Pictures lie in a folder beside it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One text for each conversation, with their pictures, in one zip file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One page with everything in it, for any browser, light or dark.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One page for each conversation and a list of them, in one zip file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pages to read or to print.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Complete, with all versions, pictures and figures. Hearth can import it again, here or elsewhere.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FileRow</name>
    <message>
        <source>Recommended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} parts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With a context of {context} it takes about {wanted}, and {free} is free now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With a context of {context} it would fit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is an estimate.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is on this computer already: {path}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Download</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Download {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load it and talk to it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the downloads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{percent} %</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FilesPresenter</name>
    <message>
        <source>One model is open at a time, so only {name} was opened.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models (*.gguf)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a model file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the mmproj file of {model}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mmproj files (*mmproj*.gguf)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is a folder; open the files in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is not there any more, or can&apos;t be read.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>Find in this conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous hit (Shift+Enter)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next hit (Enter)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close the search (Esc)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No hits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{number} of {total}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FinishedAnswersPresenter</name>
    <message>
        <source>The answer in “{title}” broke off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{title}” has an answer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{title}” waits for your permission.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FitPanel</name>
    <message>
        <source>Show the numbers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory in numbers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This would fit:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No other setting here makes it fit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fits: with a context of {context} it takes about {wanted} of the {free} that is free in {where}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tight: with a context of {context} it takes about {wanted} of the {free} that is free in {where}. It fits if nothing else wants memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Too large: with a context of {context} it takes about {wanted}, and {free} is free in {where}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Computing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{part}: {size}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{size}, with {draft} for drafts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{size}, without flash attention</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at most {size}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>More, with several answers at once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recurrent state</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Projector (mmproj)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checkpoints, at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All together</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Free now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>context of {context}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV cache as {type}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no layers on the graphics card</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} layers on the graphics card</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide the numbers</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FoldButton</name>
    <message>
        <source>Open or close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hidden</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FoldLine</name>
    <message>
        <source>Open or close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FoldersButton</name>
    <message>
        <source>Folders…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folders</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a model file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No longer look in {folder}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A folder with models</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FormBar</name>
    <message>
        <source>Question of {server}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server is told that you do not want to say it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server is told that you did not answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} asks you to open {url} in your browser: {message}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} asks: {message} What you write is sent to it; write no passwords.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FormFields</name>
    <message>
        <source>{field} (may be empty)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Header</name>
    <message>
        <source>Show the sidebar</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Menu</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>HubProblemBox</name>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter a token…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ImportDialog</name>
    <message>
        <source>Import</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bring those too, as copies</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading {name}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One conversation was imported.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} conversations were imported.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Writing the conversations…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no conversation in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One conversation with one message, from {source}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One conversation with {messages} messages, from {source}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{conversations} conversations with {messages} messages, from {source}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All of that is here already.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One of them is here already.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} of them are here already.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one without a message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} without a message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one that is damaged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} that are damaged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Left out: {reasons}.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ImportServers</name>
    <message>
        <source>Add</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Secrets go to this computer&apos;s keyring. What other programs allow without asking is not taken over.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} (there is one of this name)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} of {program}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>IndexProgressLine</name>
    <message>
        <source>Reading documents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading is paused.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reads {name}; {count} more wait</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reads {name}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>InstalledModelView</name>
    <message>
        <source>It is on this computer and works without a network.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load it and talk to it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chat with {model}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>InstalledPage</name>
    <message>
        <source>Search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That fit now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That see pictures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That call tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That reason</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Damaged files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Companions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Newest first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Largest first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What fits first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which models are listed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Order</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name, architecture, quantisation, program or ability</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>State of the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking for models…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} shown, {size}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{size} of memory free</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking: {done} of {count} files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is in the trash.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show in the file manager</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move to the trash…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>JobDialog</name>
    <message>
        <source>Progress</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That failed because of a fault in Hearth. The log tells more.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>JumpButton</name>
    <message>
        <source>There is more: jump to the end</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LicencesDialog</name>
    <message>
        <source>Licences</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hearth is under the MIT licence. It is made with these parts, under terms of their own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search by name or licence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Parts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The parts that Hearth is made of</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text of the licence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Web page…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the web page of this part</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No part has such a name or licence.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This text can&apos;t be read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This part did not bring the text of its licence along; its web page has it.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LikelihoodDialog</name>
    <message>
        <source>How surprising was this answer?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model reads the answer again…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The answer, with what surprised marked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The stronger a word is marked, the less the model expected it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That failed because of a fault in Hearth. The log tells more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was stopped before its end.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Perplexity {perplexity} ± {error}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loss {loss}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hardly: the model was nearly sure of each word of it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A little: word by word, the model wavered between about {n} that were as likely.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was: word by word, the model wavered between about {n} that were as likely.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Very: the model expected other words, as if it had to choose among {n} at each place.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LinkDialog</name>
    <message>
        <source>Open a link</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open this address in your browser?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MessageEdit</name>
    <message>
        <source>Message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Message {model}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Message…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>  (sent when the answer ends)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>  (Ctrl+Enter to send)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>  (Enter to send, Shift+Enter for a new line)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MessageEditor</name>
    <message>
        <source>Edit message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send ({key})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save ({key})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel (Esc)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MessageToolbar</name>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Continue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Two answers side by side</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How surprising was this?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Branch from here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy question</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit question</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>More</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer again with another model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go on anyway</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Continue the answer</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MessageVersions</name>
    <message>
        <source>{title} (branch)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MessagesPresenter</name>
    <message>
        <source>The message was deleted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The message was deleted, and what came after it.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelCardView</name>
    <message>
        <source>Model card</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelDetails</name>
    <message>
        <source>Loads it for the conversation on screen, which stays</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chat with it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show in the file manager</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move to the trash…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the chat template</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sets this and loads the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Details of the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Graphics card</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None of its {count} layers is there</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All {count} layers are there</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} of its {count} layers are there</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{size} in {count} files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kept by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>you, in a folder of yours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Projector</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Also in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Called</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kind</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Can</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quantisation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trained with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} tokens of context</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Licence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Advised sampling</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chat template</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It has none; ChatML stands in.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>see pictures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hear</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>call tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reason first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>guess further words itself (MTP)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fill gaps in texts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>make vectors of texts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of every word: it can go back to any place</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of the last words in some layers (sliding window): it goes back to checkpoints</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A state that each word changes (recurrent): it goes back to checkpoints</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of every word in some layers, a state in others (hybrid): it goes back to checkpoints</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A projector (mmproj): it lets a model see and hear</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A projector (mmproj): it lets a model hear</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A projector (mmproj): it lets a model see</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A draft: it guesses ahead for another model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An adapter (LoRA): it changes another model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It makes vectors of texts, and can&apos;t chat: it is for other programs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It ranks documents by how well they answer, and can&apos;t chat: it is for other programs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A diffusion model: it fills in a whole text at once, and Hearth writes word by word</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelFileEdit</name>
    <message>
        <source>None</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} · {size} · suggested</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} · {size}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file of a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models (*.gguf)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a draft model</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelPage</name>
    <message>
        <source>Sets this below</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load a model to see here how much memory it would take with these settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Set for {model} alone, under Models: {settings}.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelPicker</name>
    <message>
        <source>Cancel loading</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model is loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model}: questions go to {host}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model: {model}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trying {model}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trying…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading {model}… {percent} %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading… {percent} %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All models…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a model file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unload the model</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelPopover</name>
    <message>
        <source>Models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Get a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no other model on this computer yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model here is like that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no model on this computer yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name, architecture, quantisation, program, server or ability</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelRequestsPresenter</name>
    <message>
        <source>A program</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{program} asks for the model {model}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load it</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelSettingsPanel</name>
    <message>
        <source>Remove the star</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Give it a star: such models come first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not used yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last used {date}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Notes about this model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For yourself: no model is shown them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is it good for?</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelsDialog</name>
    <message>
        <source>Models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Discover</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Servers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} ({keys})</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelsEmptyState</name>
    <message>
        <source>Find a model to download</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a folder with models…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a model file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing here is like that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search for another word, or list all files.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking for models…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In Hearth&apos;s own folder and in those of other programs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no model on this computer yet but the guide.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hearth looks where LM Studio, Ollama, Jan, GPT4All, llama.cpp and Hugging Face keep theirs, and in folders that you name. A file that is there already is never copied.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelsList</name>
    <message>
        <source>loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>chosen</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelsListView</name>
    <message>
        <source>Models</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NoticeBar</name>
    <message>
        <source>Dismiss</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NoticeLine</name>
    <message>
        <source>Nothing to do</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Notices</name>
    <message>
        <source>Details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>OverflowPresenter</name>
    <message>
        <source>Leave out the oldest messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New chat with this question</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This conversation is too long for the model&apos;s context.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move it to a new chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context of {n_ctx} ({memory} more)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PagePanel</name>
    <message>
        <source>Page of a document</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous citation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next citation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Page before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close the page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text of the document</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} of {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opening the page…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This passage was looked at.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{sentence}”: {told}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Page {n} of {count}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PagedView</name>
    <message>
        <source>Pages</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PagesDialog</name>
    <message>
        <source>Choose pages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} has {n} pages. Only those that you name go with the message.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Pages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1-20, 45</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Numbers and ranges with commas between them, as in 1-20, 45</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leaves the document as it is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Takes these pages instead of all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name pages from 1 to {n}, as in 1-20, 45.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>About {n} tokens.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>About {n} tokens, and {room} are free.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>About {n} tokens: too many, as {room} are free.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PairForm</name>
    <message>
        <source>On the other computer, start “hearth serve --pair”, or press “Pair a computer…” in its settings, page Local API. It shows an address and a code.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The other computer is being asked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pair</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} shows a code now, at {address}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address and port</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Code</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PairedPanel</name>
    <message>
        <source>Paired computers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pair a computer…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On the other computer open Models, Servers, press “Pair with another Hearth…”, and enter the address {address} and this code. It holds for three minutes, and for one try.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Switch on “Computers that you paired” above, and save, to pair one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>since {day}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It can&apos;t ask this computer any more</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PalettePresenter</name>
    <message>
        <source>Theme: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PictureDrops</name>
    <message>
        <source>Drop to add the picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop to add the recording</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop to add {count} pictures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop to add {count} recordings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop to attach the file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop to attach {count} files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop to attach {count} pictures and files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop to put the text into the message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hearth fetches nothing from the net: save the picture first, then add its file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no picture in this.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PictureTile</name>
    <message>
        <source>Picture {place} of {count}: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is being read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the model is looking at it already</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>picture without a name</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PictureTray</name>
    <message>
        <source>Pictures of this message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The message goes as soon as its pictures are read…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PictureView</name>
    <message>
        <source>&amp;Enlarge</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Copy the picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Save as…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The picture is missing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>without a name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Picture: {name}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PictureViewer</name>
    <message>
        <source>Picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Picture: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PicturesPresenter</name>
    <message>
        <source>The picture was copied.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The picture is missing: its file is gone from Hearth&apos;s folder.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PrefillLine</name>
    <message>
        <source>Reading the prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PresetButton</name>
    <message>
        <source>Preset: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name}: this conversation&apos;s system prompt and sampling</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a preset: a system prompt, sampling and reasoning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preset</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PresetDialog</name>
    <message>
        <source>Presets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A preset is a system prompt with sampling and reasoning of its own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make a preset, and name it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bring in a preset from a file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write the preset to a file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bring back what was deleted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Done</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep the changes and close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The preset is in {name}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}” was deleted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Presets (*{ending})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import a preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export the preset</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PresetForm</name>
    <message>
        <source>As the model does</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For models that can reason before they answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the model is told first. Left empty, the general one holds.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New conversations begin with it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PresetPopover</name>
    <message>
        <source>Presets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit presets…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make, change, and share presets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In use</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find a preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type a part of the name, and press Enter</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PrintJobDialog</name>
    <message>
        <source>Print</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Painting the pages…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PromptDialog</name>
    <message>
        <source>Insert</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Puts it into the field</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>QueueCard</name>
    <message>
        <source>Change this message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take this message out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a picture or recording</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 attachment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} attachments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting message {place} of {count}: {text}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter changes it, Delete takes it out, Alt with the arrow keys moves it.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>QueueCards</name>
    <message>
        <source>Send the waiting messages now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The answer was stopped; these wait.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The answer failed; these wait.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The context is full; these wait.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The first could not be sent; these wait.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These were not sent before Hearth was closed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sent one by one, as each answer ends.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ReasoningButton</name>
    <message>
        <source>How long the model reasons before it answers, in this conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Default</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ReasoningView</name>
    <message>
        <source>Thinking…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thinking… {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thought for {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thought</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 word</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{number} words</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RecordingView</name>
    <message>
        <source>recording without a name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Play</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name}, {time}: {does}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RemoveCollectionDialog</name>
    <message>
        <source>Delete a collection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete {name}?</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Hearth forgets what it read of %n file(s), which stay where they are.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RemoveDialog</name>
    <message>
        <source>Remove a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move {name} to the trash?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Emptying the trash then frees {size}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These are {count} files; emptying the trash then frees {size}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is loaded now, and is unloaded first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move to the trash</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RemoveServerDialog</name>
    <message>
        <source>Remove a server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove {name}?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its key goes with it. Conversations with its models stay.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RepoFiles</name>
    <message>
        <source>Show fewer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all {count} files</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RepoView</name>
    <message>
        <source>Repository</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open on Hugging Face</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter a token…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Download what lets it see as well</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model card</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a model on the left to see its files and what they need.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Asking Hugging Face…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no GGUF file in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gated: its makers want to know who takes it. Accept the terms on its page, and enter a token here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With a download comes what lets the model see: {name}, {size}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RestoreDialog</name>
    <message>
        <source>Restore a backup</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Don&apos;t restore</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Later</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close Hearth now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checking {name}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The backup of {when} is sound: {conversations} conversations with {messages} messages.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It takes the place of what is here when Hearth starts next. What is here now is kept as a backup of its own, and can be restored in the same way.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SamplingPage</name>
    <message>
        <source>These hold wherever nothing else is set for a model or a conversation.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is set here holds for {model}, in every conversation. Where you have set nothing, its file&apos;s own advice stands, if it has any.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is set here holds for the open conversation alone, and wins over all else.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This conversation</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SearchField</name>
    <message>
        <source>Search</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SelectableText</name>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select all</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SendButtons</name>
    <message>
        <source>Send when the answer ends</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ServerCard</name>
    <message>
        <source>Find a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chat with it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings of the model…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is being asked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>computed on {names}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not asked yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>being asked…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>answers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>does not answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It lists no model that chats.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its models are listed as soon as it has answered.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove the star</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Give it a star: such models come first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New chats are told of its tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Believe what {name} says of its tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which only read, and which stay on this computer. Nobody has checked that: tick it for servers that you know.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the server said last</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sign in…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sign in to {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opens your browser</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It starts again when it is needed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restart</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It wants you to sign in at {place}. What it grants is kept in this computer&apos;s keyring.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n tool(s), about {tokens} tokens</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Believe what it says of its tools</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ServerForm</name>
    <message>
        <source>http://192.168.1.5:8080 or https://example.org</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server is being asked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep it all the same</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It may be switched off now. It is asked again when you choose a model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take its key away</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is asked without a key from now on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As it is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where the server wants one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This address is not encrypted, and lies outside your own network: whoever stands between can read the key, and all that you write. Use https:// if the server has it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Key (may be empty)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name (may be empty)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of a server that speaks OpenAI&apos;s chat completions, or of an Ollama</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is kept in this computer&apos;s keyring, and sent to this server alone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What you call it; empty is its address</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ServerSettingsDialog</name>
    <message>
        <source>Settings of {model}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Set for this model alone. What is not set here is as for all models.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As for all models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} does not take this.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ServerTexts</name>
    <message>
        <source>Prompt of {server}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Attach from {server}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is empty.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ServersPage</name>
    <message>
        <source>Models can also answer from other computers: a llama-server, vLLM, Ollama or LM Studio of yours, a Hearth that serves, or any server that speaks OpenAI&apos;s chat completions. What you write to such a model leaves this computer, and goes to that server alone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a server…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pair with another Hearth…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One of your network: encrypted, and without a key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Spread a model over other computers…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Servers</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ServersPanel</name>
    <message>
        <source>Tools let a model do more than write: read your files, look something up, write a note. They come from servers, small programs that speak the Model Context Protocol (MCP). Before a tool runs, you are asked. There is no server yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Python is being prepared, once on this computer. Switched off, that stops.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a server…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Servers of other programs on this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit mcp.json</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opens the file of servers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Always allowed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask again before {tool} of {server}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No servers of Claude Desktop, Cursor, LM Studio or VS Code were found.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SettingField</name>
    <message>
        <source>Clear</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Takes effect when the model is loaded again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Set here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Inherited</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clear {label}, and use {value}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset {label} to {value}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From {least} to {most}.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Apply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>OK</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model is being loaded.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Apply loads the model again. The conversation stays.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The answer that is being written stops.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SettingsForm</name>
    <message>
        <source>Advanced ({count})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Advanced settings</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SettingsOverrides</name>
    <message>
        <source>Clear everything that is set for this model alone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As for all models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load the model with these settings. The conversation stays.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Set for this model alone: {settings}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is set for this model alone: it is used as all others.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{title} ({count} set)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speculative decoding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was loaded otherwise than it would be now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings of this model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{title} of this model</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SettingsSearch</name>
    <message>
        <source>Find a setting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings that were found</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No setting is like “{wanted}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A word of its name, or of what it does</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ShortcutsDialog</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send the message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New line in the message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shift+Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>Hide the sidebar</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Documents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Trash (%n)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Searches titles and everything that was said. Words in quotes stay together.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deleted: {age}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folders</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous 7 days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Titles</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Today</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{month} {year}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SidebarPresenter</name>
    <message>
        <source>New folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The chat was archived.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The folder “{name}” was deleted; its chats are kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{title}” was restored.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete “{title}” for good?</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Delete everything in the trash for good, %n in all?</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SnapshotsPage</name>
    <message>
        <source>Remove what is kept of all conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Empty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Held now: {memory} in memory, {disk} on disk.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SourceChips</name>
    <message>
        <source>Sources:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looked at:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Source {n}: {place}. Open the page</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Looked at %n more</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SpeculationPage</name>
    <message>
        <source>Set for {model} alone, under Models: {settings}.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SpreadForm</name>
    <message>
        <source>The one that this computer finds by itself</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose the model&apos;s file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose llama-server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models (*.gguf)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model&apos;s file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>llama-server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A model that is too large for one computer can be computed on several. On each of them rpc-server of llama.cpp has to run, of the same build as llama-server here; both come with llama.cpp where it was built with RPC. rpc-server has no password and no encryption: use it in a network that you trust alone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Computers that help (addresses of their rpc-server)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>llama-server (may be empty)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context (tokens)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name (may be empty)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StateButton</name>
    <message>
        <source>ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its weights and its context are in memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its weights are in memory; it has no context.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing of it is in memory. It loads when you write.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Questions go to {host}, with the conversation so far.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on a server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>State of the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is being used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load into memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Activate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Free the context</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unload and keep it chosen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the servers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>State of the model: {word}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading it from disk took {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Activating it took {time}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StateFilesPresenter</name>
    <message>
        <source>Save the state</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a saved state</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>States of conversations (*{ending})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The conversation is in {name}, with what the model has read of it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That failed because of a fault in Hearth. The log tells more.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StatsButton</name>
    <message>
        <source>About this answer</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StatsSheet</name>
    <message>
        <source>About this answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy all of this</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message>
        <source>Status</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waits for another answer…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{why} It is asked again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for the model…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Writing…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waits for you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tools run…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TemplateDialog</name>
    <message>
        <source>Chat template of {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chat template</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TextBlockView</name>
    <message>
        <source>Copy the link&apos;s address</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TokenDialog</name>
    <message>
        <source>Hugging Face token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Some makers give their models only to people who have accepted their terms. Accept them on the model&apos;s page, make a token that may read, and enter it here. It is kept in this computer&apos;s keyring and sent to the hub alone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hf_…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A token of Hugging Face; they begin with hf_</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make a token…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opens its page on Hugging Face</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forget the token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Removes it from the keyring</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Puts it into the keyring</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TokenMeter</name>
    <message>
        <source>+ {percent} %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This message takes {n} tokens, and {left} of {n_ctx} are left.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This message takes about {n} tokens, and {left} of {n_ctx} are left.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Little room stays for the answer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This message does not fit: shorten it, begin a new chat, or let older messages be left out.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The oldest messages will be left out, so that this one fits.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Messages in the middle of the chat will be left out, so that this one fits.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is too much for the guide; a larger model can read it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This message is too long for the model&apos;s context of {n_ctx} tokens: shorten it, or load the model with a larger one; it was made for up to {most}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This message is too long for the model&apos;s context, and for the {most} tokens that the model was made for: shorten it, or choose another model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This message is too long for the model&apos;s context: shorten it, or load the model with a larger one.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ToolCallView</name>
    <message>
        <source>Result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tool call</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waits for you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is looked at…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>runs…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not allowed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{seconds} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>answered</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>failed</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ToolsButton</name>
    <message>
        <source>No tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n tool(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>What the model may ask for in this conversation</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ToolsPopover</name>
    <message>
        <source>Tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Servers…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ToolsPresenter</name>
    <message>
        <source>{model} does not know how to use tools. It answers without them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are many tools: the model looks for those that it needs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is switched off here stays in the prompt, and is refused.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>starts with the next question</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n tool(s), about {tokens} tokens</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tool(s), {tokens} tokens, {time}</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Switched on now, {tokens} tokens are read again: {time}.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>Conversation</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TranscriptPresenter</name>
    <message>
        <source>“{title}” was moved to the trash.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The last answer was copied.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TrashBar</name>
    <message>
        <source>Back to the conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Empty…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Empty the trash…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete everything in the trash for good</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>After %n days here, chats are deleted for good.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>UserView</name>
    <message>
        <source>Your message</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>VersionPager</name>
    <message>
        <source>Previous version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Version {number} of {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{version}, by {model}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>Loading the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Get a model…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Get a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shows good models for this computer, and fetches the one that you choose</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a model file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a model file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A GGUF file that is on this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel loading</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recent models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Welcome to Hearth</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The guide is ready: a very small model that comes with Hearth. It knows the program and sees simple pictures, and not much else. For everything else get a larger model. Nothing you write leaves this machine.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is on your mind?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model} is ready, with room for {size} tokens. Nothing you write leaves this machine.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model} answers from a server. What you write, with all that is attached and the conversation so far, goes to {host}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model} is in memory, and its context is free. It is back when you write.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model} is on disk, so its memory is free. It loads again when you write.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Talk to a language model that runs on this machine. Get one to begin, or choose a GGUF file that you have. Nothing you write leaves this machine.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trying the file first, as it is new on this machine…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading the model into memory…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Making room for the conversation…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load {model}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What can you do?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How do I get a larger model?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Is it private?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask: {question}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>_Handle</name>
    <message>
        <source>Width of the page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The left and right arrow keys move the border.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>_Overlay</name>
    <message>
        <source>Drop files here</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>box</name>
    <message>
        <source>Delete for good</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This cannot be undone.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>code</name>
    <message>
        <source>Save the code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} could not be written: {reason}. Choose another place.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>discover</name>
    <message>
        <source>For computers with more memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Good models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Good models for this computer, which has {size} free</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Larger ones that fit, and answer more slowly</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recommended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pictures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reasoning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} downloads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} likes</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>documents</name>
    <message numerus="yes">
        <source>%n page(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n passage(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Is read now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not there now; nothing of it is found until it is back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waits to be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>page {number}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>drafting</name>
    <message>
        <source>MTP</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>draft model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>drafts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>identical output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>n-gram</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>same distribution; wording may differ by rounding</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>figures</name>
    <message>
        <source> in {time}, {speed}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drafts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drafts of {drafter}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First word</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Listening, {number} of {count}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Listening…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking at picture {number} of {count}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking at the picture…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading {read} of {total} tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading {total} tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remembered</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Right by place, {drafter}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With drafts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about {gain} times as fast as without; {sameness}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about {hours} h left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about {minutes} min left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about {seconds} s left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>after {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at the limit on its length</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>because it only repeated itself</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>because it was stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>because the context was full</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>because the server broke off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>by itself</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>by itself, to ask for tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not told</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>off. {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{accepted} of {drafted} tokens were right ({drafters}), {run} tokens a round</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{minutes} min {seconds} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} in {time}; begun in {begun}, taken over in {taken}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} of {total} tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{seconds} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{seconds} s so far</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{size} GiB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{size} KiB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{size} MiB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{speed} tokens/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{tokens} in {time}, {speed}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>hub</name>
    <message>
        <source>1 minute left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for its turn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for the network</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>changed {date}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>checking</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>context {size}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it rests, and goes on in {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>less than a minute left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>more than two days left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tries again in {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tries again now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} downloads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} hours left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} likes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} minutes left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{done} of {size}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{size} a second</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>models</name>
    <message>
        <source>Comes with Hearth</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>main memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>LoRA</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>MTP</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tight</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Too large</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cloud</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>context {size}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>damaged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>diffusion</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>does not answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>embeddings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hears</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>leaves this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mmproj</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reasoning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reranking</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sees</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} parts</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>reasoning</name>
    <message>
        <source>High</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Low</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Medium</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reasoning: as the model does</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reasoning: high</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reasoning: low</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reasoning: medium</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reasoning: off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reasoning: on</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>sentences</name>
    <message>
        <source>A V cache of type {type} needs flash attention, so it was switched on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A context of {n_ctx:,} tokens needs {need} of memory, and {free} is free. Choose a smaller context size, or q8_0 as KV cache type.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A conversation of more than {most:,} messages can&apos;t be told to a model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A link in {folder} leads to it, and then to nothing.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A machine that computes fell silent, so the server was ended. Ask again to start it anew.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A message takes at most {count} files; send these first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A message takes at most {count} pictures; send these first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A message takes at most {count} recordings; send these first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A page could not be drawn. The log tells more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A parameter&apos;s name can&apos;t be written in this model&apos;s calls. Rename the parameter.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A parameter&apos;s schema is too involved to be enforced here. Say its type plainly.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A picture takes {n_tokens:,} tokens of this model, and the context holds {n_ctx:,}. Load it with a larger context to show it pictures.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A schema asks for {what}, which can&apos;t be enforced here. Take it out of the schema.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A schema has the pattern &quot;{pattern}&quot;, which can&apos;t be enforced here. Write it more simply.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A schema is no JSON schema, or one that is too involved. Write it more simply.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A server is asked in conversations only. Choose a model on this computer for this.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A stride of {stride:,} does not fit a window of {size:,} tokens; it must be shorter.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A tool&apos;s name must be of letters, digits, dots, hyphens and underscores. Rename the tool.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An answer is being written here. Stop it first, or wait until it ends.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another answer is being written. Stop it first, or wait until it ends.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another program is using {path}; close it (it may be a second Hearth) and try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checking several tokens at once takes this computer longer than writing them one by one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose another model for this.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter the address with its port, as the other computer shows it: 192.168.1.5:40123.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exact output was asked for, and checking a guess gives slightly other numbers on this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fetched {size} MB from {name} in {seconds} s, instead of reading {n:,} tokens again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Files of this kind hold no text that can be read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Guessing words ahead would not have been faster.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>HF_ENDPOINT names no address that can be asked. It has to begin with https://.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Have the answer written anew, or choose another model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hearth can&apos;t show pictures to models of the family “{family}” yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hearth cannot make its folder {folder} ({reason}); make room for it, or set {variable} to a folder of yours.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hearth cannot open {path}; check that its folder is there and yours to write.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hearth cannot use {path} ({reason}); check that it is there and yours to write.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hearth cannot use {path}: it is not there. Check its name and its folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hearth finds no document in {name}; attach the files that are in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hearth is being closed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hearth may not write to {path}; check the permissions of the file and its folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hugging Face answers in a way that Hearth does not understand.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hugging Face answers with far more than Hearth asked for. Try again later.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hugging Face can&apos;t be reached. Check the network; the models that are here work without it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hugging Face does not give {what} ({status}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hugging Face has a problem of its own ({status}). Try again {when}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hugging Face is asked too often from here. Try again {when}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hugging Face {told} for {what}. Make a token at huggingface.co/settings/tokens and enter it here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It broke off because of a fault in Hearth. What is there is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It differs from before in {place}: “{was}” is now “{now}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It has not been fetched as a whole.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It has {size} of {expected} bytes: {source} has not finished fetching it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is a link: the file itself stays in {folder}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It lets Hearth lock {limit:,} MiB (RLIMIT_MEMLOCK, as ulimit -l tells).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It nests too deeply.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It ran longer than {seconds} seconds and was stopped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading the draft model was cancelled.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading the head that guesses tokens was cancelled.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory is too short to read {name}; close other programs and try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name between one and {count} computers, such as 192.168.1.5:50052.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No context could be made for the draft model {name}. Try other KV types for it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No context could be made for {name}. Try a smaller context size.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No copy of the file could be kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No graphics card was found that can be used through {ways}, so the processor does all the work: install the card&apos;s driver, or set GPU layers to 0 and this is not said again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model is loaded. Choose one at the top of the window first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model is loaded. Choose one first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No port can be opened for pairing: {why}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nobody could be paired because of a fault in Hearth.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nobody signed in to {name}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None of the machines that should compute answers: {names}. Start their workers, and ask again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not all of {name} could be locked in memory: the system may swap it out.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing guesses: all ways of it are switched off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing in the documents has words of this question.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of {name}, pages that can&apos;t be read were left out: {numbers}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ollama has not finished fetching {name}, or removed a part of it. Pull it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ollama still lists it afterwards: “ollama rm {name}” removes it there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only addresses that begin with http:// or https:// can be read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only the first frame of {name} is used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only the first page of {name} is used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other answers were being written at the same time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other entries point at the same file, so its room is not freed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Page {page} of {name} could not be drawn.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Part {which} of {count} of this model is missing.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Parts {which} of {count} of this model are missing.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Port {port} is in use by another program. Choose another port, or 0 for any free one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preparing Python, once on this computer…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Python could not be begun.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading {n:,} tokens again was quicker than moving {size} MB between {name} and this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove what it can&apos;t take, or choose another model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sent {size} MB to {name} in {seconds} s, so that nothing is read again there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Somebody tried another code, so this one is of no use any more. Make a new one, and try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Something answers at {server}, but it is no engine that Hearth knows. Check address and port.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Something else was loaded instead.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sounds can&apos;t be played. The log tells more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Switch the tools off for this conversation, or choose another model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take them out, or choose another model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text {number} has {count:,} tokens, and the model reads up to {most:,} at a time. Cut it, or let it be cut: truncate.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text {number} holds numbers that are no tokens, from 0 to {most}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text {number} is empty, and this model adds nothing to it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That failed because of a fault in Hearth. The log tells more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That is no token of Hugging Face: they begin with hf_.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The address holds a name or a password. Leave them out, and enter the key in its own field.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The address of the list of good models must begin with https://. Change it in the settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The address of “{name}” has to begin with http:// or https://.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The answer broke off because of a fault in Hearth. The log tells more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The backup was restored.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The backup was written by a newer version of Hearth; install that version to restore it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The batch size is too small to check a guess.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The call failed because of a fault in Hearth. The log tells more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The chat template of this model knows no tools.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The chat template of {name} can&apos;t be read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The clipboard says that it holds a picture, but there is none in it; copy it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The code has {n} digits, as the other computer shows them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The code is not the one that {host} shows, or somebody stands between. Have it make a new code.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The code is too old now. Make a new one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The collections can&apos;t be changed because of a fault in Hearth.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The connection to {server} broke off. Check that the server still runs, and ask again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The context is full, and there is no memory to let this answer wait.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The conversation is back. The model has {n:,} tokens of it in memory, and need not read them again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The conversations in {path} are damaged; start Hearth again, and it will save what can be read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The conversations were damaged and none could be read; the damaged file is kept as {copy}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The conversations were damaged: {counts} were recovered, and the damaged file is kept as {copy}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The conversations were damaged: {counts} were recovered, {copied} of them from the copy of {when}, and the damaged file is kept as {copy}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The default is used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The defaults are used, for now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The disk is full</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The disk is full, so {name} is not whole yet. Make room and go on; what is there is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The disk reported an error at {path}; check the disk, and that it has space left.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The disk with {folder} is full; free some space and try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The documents could not be searched because of a fault in Hearth. The log tells more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file as it was is kept as {copy}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file is not there any more; this is what was read of it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file of {name} is not kept any more; attach it again to choose its pages.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file that {name} points at is not there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file was written by a newer version of Hearth; install that version to import it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The grammar can&apos;t be used: {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The head of {name} that guesses tokens (MTP) can&apos;t be used: {why}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The header of a model on the hub could not be read because of a fault in Hearth.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The hub could not be asked because of a fault in Hearth.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The key of {server} holds characters that no key has, such as a line break. Copy it anew.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The keyring did not let the token go. Remove “Hearth” in the program that manages your passwords.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The link can&apos;t be understood.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The list could not be fetched because of a fault in Hearth.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The list of good models leads to an address without https://, so it is not read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The list of paired computers can&apos;t be written, so it holds until Hearth is closed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The list of servers can&apos;t be written, so it holds until Hearth is closed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The local API can&apos;t listen on {host}, port {port}: {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The machine at {name} is gone, on which the model was computed. Ask again to go on without it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model answers without it; choose another draft model in the settings, under “Speed and memory”, or none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model answers without it; it can be switched off in the settings, under “Speed and memory”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model at {server} can&apos;t see pictures. Take them out, or choose a model that sees.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model has called tools very often. “Ask again” lets it go on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model has nothing to add.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model holds nothing of this conversation yet. Ask something in it first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model is being laid out over {count} computers, which may take minutes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model is still being loaded. Ask again when it is there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model makes the same wrong call again. “Ask again” lets it go on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model&apos;s chat template asks for more work than it may. Use another file of this model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model&apos;s chat template cannot be used{line}: {reason} Use another file of this model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model&apos;s chat template does not take this conversation: {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model&apos;s chat template fails on this conversation: {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model&apos;s chat template is too long to be one. Use another file of this model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The models of this computer can&apos;t be listed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The name {host} is not known here. Check the address and the network.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The name {server} is not known here. Check the address and the network.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The new list of models can&apos;t be kept: {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The page answers {status} {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The page can&apos;t be read: {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The page could not be shown because of a fault in Hearth. The log tells more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The page leads from one address to the next without end.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The page took longer than {seconds} seconds.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The pages of {name} could not be read again. The log tells more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The parts of {name} do not belong together: fetch them again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The picture could not be saved. The log tells more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The picture could not be shown. The log tells more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The picture in this message is not there any more. Add it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The picture is missing: its file is gone from Hearth&apos;s folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The picture {name} is not there any more. Add it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The pictures were left out: this model can&apos;t see them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The prompt is empty, and this model needs at least one token to begin from.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The proxy of this network does not let Hearth through to Hugging Face ({status}). Try another network, or ask who runs it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The proxy of this network does not let Hearth through to {server}. Ask who runs it, or set NO_PROXY.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The proxy of this network wants a password. Set HTTPS_PROXY with one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The proxy that is set for this computer can&apos;t be used. HTTPS_PROXY and ALL_PROXY have to begin with http://.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The reader ended over this file twice; save it in another format, or take it out of the folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The reader ended over this file; it is tried once more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The reading of documents ended over and over; start Hearth again to go on with it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The recording in this message is not there any more. Add it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The recording {name} is not there any more. Add it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The request asked for none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The request demands a tool that it doesn&apos;t offer. Offer it, or demand another.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The result has the characters 0 to {last}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The same file stays in {folder}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The search failed because of a fault in Hearth.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server broke the answer off. Let it go on, or try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server could not be begun because of a fault in Hearth. The log tells more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server did not hold the model to calling a tool, as it was asked to.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server does not tell what it reused.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server of {name} can&apos;t go on from the middle of an answer. Have it written again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server reused {cached:,} of {total:,} entries.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server that computes on other machines ended with code {code}. Its log says why.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server that computes on other machines lost one of them. Ask again to start it anew.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server that had {name} was removed: choose another model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server to which Hugging Face leads does not give {name} ({status}). Check the clock of this computer, or try again later.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server “{name}” has to be an object with “command” or “url”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server “{name}” needs a “command” or a “url”, and not both.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server&apos;s answer can&apos;t be read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server&apos;s filter ended the answer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The sign-in to {name} can&apos;t come back. Start it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The sign-in to {name} failed: {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The system&apos;s trash can&apos;t take it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The user of this computer did not let {name} be loaded.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The vectors of these texts have more than {most:,} numbers. Send fewer texts at a time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no file {path}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no folder {name}. There are: {names}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no folder {path}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no llama-server on this computer. Install llama.cpp with RPC, of the same build as on the other computers, and choose its llama-server here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no result with the id {id} in this chat.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no room for a text of {n_tokens:,} tokens. Close other programs, or cut it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no server in this text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no server {name}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no such document. There are:
{names}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no text at this address, but {kind}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is not enough free memory for {name}. Close other programs, or choose a smaller model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is not enough memory for the draft model {name} beside the model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is not enough room for {name} on this disk: it needs {need}, and {free} are free. Make room, or choose another folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is not enough room for {name} on this disk: {need} are needed with all that is still to come, and {free} are free. Make room, or choose another folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is nothing at {path}; choose a file or folder that is there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is nothing to look for.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is too little text to score: a token needs another one before it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There was no room for a context of {asked:,} tokens; it holds {n_ctx:,} instead.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This build of llama.cpp can&apos;t run the heads of models that guess tokens (MTP).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This computer does not trust the certificate of {server}. If your network or company puts its own there, name its certificate in SSL_CERT_FILE.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This computer does not trust the certificate that comes in Hugging Face&apos;s name. If a proxy of your network puts its own there, name its certificate in SSL_CERT_FILE.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This computer has no keyring, so the key of {name} is kept until Hearth is closed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This computer has no keyring, so the secrets of {name} are kept until Hearth is closed. Write them into mcp.json to keep them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This computer has no keyring, so the token is kept until Hearth is closed. HF_TOKEN can be set instead, before Hearth starts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This computer has no sound device, so nothing can be played.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This conversation is longer than the context of {server}. Start a new one, shorten this one, or let the server have a larger context.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This disk can&apos;t hold a file as large as {name}; those with FAT32 end at 4 GB. Choose a folder on another disk.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This file could not be read because of a fault in Hearth.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This file has {size:,} MiB, and Hearth reads up to {most:,}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This file is empty.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This file is hidden, so it is not read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This folder is hidden, so nothing in it is read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is no HTTP request that can be read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is no address.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is too much for the guide; a larger model can read it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This model can&apos;t hear recordings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This model can&apos;t see pictures.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This model does not reason apart from its answer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This model does not work with KV cache types {types}; f16 is used instead.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This model has no chat template of its own; ChatML stands in.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This model was loaded without anything that guesses.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This model was not made to fill a gap in a text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This model was not made to fill a gap in a text. Leave out the suffix.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This model&apos;s projector failed at {name}. Remove it, or try another model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This server can&apos;t be kept from ending an answer. Choose another model for this.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This server can&apos;t go on from the middle of an answer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This server can&apos;t hold answers to a grammar.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This server can&apos;t hold answers to a schema.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This server can&apos;t make a model call a tool.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This server leaves pictures out without a word where a model can&apos;t see them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This server takes no recordings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens and their probabilities can&apos;t be asked of a server. Choose a model on this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Too many connections are open. Try again later.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Too many programs came that are no Hearth. Make a new code, in a network that you trust.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What answers at {address} is no Hearth that waits to be paired.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What lies at the address of the list of good models is far too long for one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What stands before {server} can&apos;t reach it ({status}). Try again later, or ask who runs it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was fetched is no list of models, so the old one stays.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was there before is kept as {copy}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What {name} was before is not kept any more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You are not allowed to listen on port {port}. Choose one above 1023.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You are not allowed to read {name}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You are not allowed to read {path}. Change its permissions, or copy it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You are not allowed to remove {path}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You are not allowed to write to {folder}. Choose another folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You can close this page and go back to Hearth.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>[{name}] is not a section of this version.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>and enter a token here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>drafters of the kind “{kind}” are not supported yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in {count} hours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in {count} minutes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in {count} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it begins or ends its texts in another way</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it begins or ends its texts with another token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it does not say why ({status})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it does not write text word by word</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it is not made as llama.cpp expects it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its vocabulary has {found:,} tokens instead of {wanted:,}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its vocabulary is of another kind</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>later</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>llama.cpp can&apos;t run it for the architecture “{kind}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>llama.cpp fails when it is tried</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>llama.cpp makes no context for it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>llama.cpp runs one such layer of a model of this kind, and there are {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>refuses the token that is kept here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the recording</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>then try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>token {token:,} of its vocabulary is another one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>wants to know who asks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{address} can&apos;t be reached. Check that the other computer shows a code now, and that no firewall stands between.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{address} is no address of a server. It looks like http://192.168.1.5:8080 or https://example.org.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{command} can&apos;t be started: {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{command} was not found. Install it, or write its full path in mcp.json.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count:,} of its pages could not be read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} earlier messages were left out, because the context is full.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{drafter} drafts for models of the architecture “{wanted}”, and {name} is “{found}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{host} is no address of this computer. Choose 127.0.0.1, or one that is.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{host} is on this computer or in its network, where pages are not read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{label}: write a finite number.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{label}: write true or false, not {value}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{label}: {value} is above the largest value, {bound}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{label}: {value} is below the smallest value, {bound}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{label}: {value} is not of the right kind ({kind}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{label}: {value} is not one of {choices}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{names} does not answer. The others compute the model, as far as it has room there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} arrives differently from what Hugging Face says it is, so it was thrown away. A proxy or the repository is at fault; try again later, or from another network.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} asks for a secret of this computer&apos;s keyring: write the secret itself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} asks for {what}: write it into mcp.json.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} asks to sign in at what is no web page.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} belongs to another model: it makes embeddings of {width:,} values, and this model takes {taken:,}. Choose the mmproj file that came with the model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} can&apos;t be given recordings: its server takes none for it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} can&apos;t be loaded: llama.cpp refuses it. It may be damaged.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} can&apos;t be put into its place: {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} can&apos;t be reached at {url}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} can&apos;t be read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} can&apos;t be read. It may be damaged.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} can&apos;t be read: its reader ended over it. Attach another copy.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} can&apos;t be read: {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} can&apos;t be read: {why}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} can&apos;t be shown pictures: its server takes none for it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} can&apos;t be used: llama.cpp refuses it. It may be damaged, or belong to another model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} can&apos;t be used: llama.cpp refuses it. It may be damaged, or of an old kind.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} can&apos;t be written: {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} can&apos;t be written: {why}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} can&apos;t draft for this model: {problem}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} can&apos;t hear: there is no mmproj file with it that does.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} can&apos;t see pictures: there is no mmproj file with it that does.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} could not be loaded because of a fault in Hearth. The log tells more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} could not be read because of a fault in Hearth. The log tells more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} could not be removed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} did not answer within {n} seconds.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} did not let you sign in.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} does not fit into memory beside what is there. Close other programs, or unload the model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} does not write text (it translates it). Choose a chat model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} doesn&apos;t fit this model, so the conversation is read anew.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} failed: {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} has a header that Hearth can&apos;t read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} has a header that contradicts itself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} has another model file, build or settings of it than this computer, so the conversation was read anew.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} has ended.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} has more than {most:,} characters; attach the part that matters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} has no head of its own that guesses tokens (MTP).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} has no pixels; choose another file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} has no text in it; attach pictures of it where it shows some.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} has no text, only pictures of it; attach it to a chat, for a model that sees.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} has no text, only pictures of it; attach those.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} has no vocabulary, so it can&apos;t read or write text. Choose another model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} has no vocabulary, so it can&apos;t read text. Choose another model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} has nothing in it but blanks; choose another file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} has the architecture “{architecture}”, which this build of llama.cpp does not know. A newer version of Hearth may.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} has {n_chars:,} characters, and Hearth reads up to {most:,}; attach the part that matters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} has {n_pages:,} pages, and Hearth reads 1 to {most:,}; attach the part that matters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} has {size:,} MiB, and Hearth reads up to {most}; attach the part that matters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} has {size:,} MiB, and a picture may have {most}; make it smaller in another program.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} has {size:,} MiB, and a recording may have {most}; save it as MP3 or Opus, or cut it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} has {width:,} × {height:,} pixels, and Hearth reads up to {side:,} a side and {area} million in all; make it smaller in another program.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} has {width:,} × {height:,} pixels, and one side may be up to {times} times the other; cut out the part that matters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} hears at most {most:,} seconds at once, and {file} lasts {seconds:,}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} holds no conversation that this version can read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} holds no encoder for pictures or sounds. Choose another mmproj file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} holds no model: its header says nothing of one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} holds no sound; choose another file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} holds {n:,} tokens, and the context {room:,}, so the conversation is read anew.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is a backup; use “Restore a backup” to bring back everything in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is a diffusion model, which fills in a whole text at once; Hearth writes word by word. Choose another model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is a folder; add the pictures that are in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is a folder; attach the files that are in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is a language model, not an encoder for pictures or sounds. Choose the file that has “mmproj” in its name.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is an adapter that works from certain words on (aLoRA), which Hearth can&apos;t do.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is cut off or damaged. Download or copy it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is cut off. Fetch the rest of it, or fetch it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is damaged in a way that nobody thought of.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is damaged, or an unusual kind of picture; open it in another program and save it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is damaged, or an unusual kind of recording; open it in another program and save it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is damaged, or no export of Hearth, ChatGPT or LM Studio; nothing was imported.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is damaged, or no state of a conversation.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is damaged, or not what its name says; attach another copy.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is damaged, so the conversation is read anew.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is damaged. Fetch it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is damaged: its header contradicts itself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is empty. Fetch it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is empty. Hearth runs models in the GGUF format (*.gguf).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is empty: there is no adapter in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is empty; choose another file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is for a model that speaks, which Hearth does not do yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is gone, so the server can&apos;t be shown it. Attach it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is in a form that servers don&apos;t know. Attach it as PNG or JPEG, or a recording as WAV or MP3.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is in no folder that is chosen now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is incomplete or damaged. Download it again, or choose another mmproj file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is larger than {most} MiB.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is locked with a password, or of an old Office; save it anew without one, and attach that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is locked with a password; save a copy without one, and attach that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is no LoRA adapter. Choose a GGUF file that was made from one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is no PDF file that can be read, or it is damaged; attach another copy.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is no backup of Hearth, or is damaged; choose another one. Nothing was changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is no file that can be read; attach another one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is no file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is no picture that Hearth can read; use {kinds}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is no picture; add a picture file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is no preset of Hearth; choose a file that was exported as one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is no recording that Hearth can read; use {kinds}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is no recording; add a sound file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is no text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is no text; attach text, source code, PDF or office files.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is not a GGUF file, whatever its name says.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is not a GGUF file. Hearth runs models in the GGUF format (*.gguf).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is not a file on this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is not a setting of this version.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is not as Hugging Face announced it: it has another content. It may just have been changed; look at its page again and start anew.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is not as Hugging Face announced it: it has another size. It may just have been changed; look at its page again and start anew.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is not running.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is not there any more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is nothing but a head that guesses tokens for another model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is of the family “{family}”, which this build of llama.cpp does not know. A newer version of Hearth may.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is one of {count} parts, and only {found} of them are here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is protected against copying; attach another copy.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is used together with it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is {what}, which Hearth can&apos;t listen to; save it as {kinds}, and use that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is {what}; save it as one of {kinds}, and use that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} lasts longer than {most:,} seconds, and that is the most; cut out the part that matters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} made llama.cpp crash. It is loaded again when it is wanted next.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} makes llama.cpp crash, so it was not loaded. It is damaged, or made for another version.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} makes no vectors of texts. Choose an embedding model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} makes vectors of texts, or ranks them, and can&apos;t chat. Choose a chat model. Other programs can use it: hearth serve --embedding-model, or --reranking-model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} needs {need} of memory for its weights alone, and {free} is free. Close other programs, or choose a smaller model or quantisation.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} sent a message that is too large, and was stopped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} should be a section, [{name}].</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} stays loaded.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} takes too long to read; save it as text, and attach that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} waits for you to sign in: see Settings, Tools.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} was changed since, and stays as it is.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} was loaded again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} was made for another kind of model than “{kind}”. Choose the mmproj file that came with the model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} was made for another model: its layers or its vocabulary have other sizes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} was made for models of the kind “{kind}”, and this is one of “{own}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} was made for models of the kind “{made_for}”, and {model} is one of “{kind}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} was made smaller, to {width:,} × {height:,} pixels.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} was made without the head that guesses tokens (MTP), although it mentions one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} was saved by another version of Hearth, so the conversation is read anew.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} was saved with {model}, another file or other settings, so the conversation is read anew.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} was stopped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} was trained on another model than {model}. Choose an adapter that was trained on this one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} writes what is no message, and was stopped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name}: {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} can&apos;t be read: {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} can&apos;t be written: {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} cannot be understood, so that the defaults are used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} is a folder, where Hearth keeps its conversations in a file; move it away.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} is a folder. Choose the .gguf file in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} is hidden, and can&apos;t be used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} is no certificate of Hearth&apos;s. Move it away; computers have to be paired again then.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} is no file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} is no path.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} is no program that can be started. Choose llama-server.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} is not there any more. Choose another file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} is not there any more: choose the model&apos;s file again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} is too large for a list of servers.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} leads out of the folders that the user has chosen.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} was written by a newer version of Hearth; install that version again, or move the file away.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path}: “mcpServers” has to be an object of servers by name.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{secret} of {name} is not in this computer&apos;s keyring: add the server again, or write it into mcp.json.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} answers with a web page. It may be the login page of this network, or no engine is at that address.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} can&apos;t be reached. Check that the server runs, and that address and port are right.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} does not answer. Check that the computer is on, and that no firewall stands between.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} does not know this computer any more. Pair with it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} does not know what it was asked for: {told}. The model may be gone; choose another one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} does not speak https. Enter its address with http:// in front.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} ended the connection in the middle of the answer. What came is kept: let it go on, or try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} ended the connection without an answer. Its log may say why; perhaps the conversation is too long.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} failed by itself: {told}. Look into its log, or start it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} failed in the middle of the answer: {told}. What came is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} has too much to do. Ask again {when}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} leads on to {target}. If you trust that address, enter it instead.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} moves no states of conversations.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} refuses the key that is kept for it. Enter another one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} refuses the question: {told}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} said nothing for {seconds} seconds, so the connection was closed. Ask again when it is well.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} sends more than it said.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} sent something that is no answer, so the answer ends here. Ask again, or look into the server&apos;s log.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} shows another certificate than the one that it was paired with, so nothing was sent. If it was set up anew, pair with it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} wants a key. Enter the one that its owner gave you.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{source} has not finished fetching it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{source} uses this file as well, and will have to fetch it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{tool} is not what it was when it was allowed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{tool} took longer than {n} seconds and was stopped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{what} has to be a JSON object.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{what} has {size:,} tokens, and the context holds {room:,}. Start a new conversation, shorten this one, or load the model with a larger context.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{what} is gated. Accept its terms at huggingface.co/{what}, {then}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{what} is nested too deeply.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{what} is no JSON: line {line}, column {column}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{what} is not on Hugging Face (any more), or it is private.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{what}, so {name} stays where it is: {folder}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{why} {then}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{key}” of the server “{name}” has to be a list of texts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{key}” of the server “{name}” has to be a text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{key}” of the server “{name}” has to be an object of texts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{repo}” is no name of a repository.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{told}” is no name that a file can have on every computer, so it can&apos;t be fetched.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>settings</name>
    <message>
        <source>%</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A context can&apos;t be smaller than {n} tokens: it becomes {n}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A folder of yours. Empty is the folder of Hugging Face, which other programs use as well.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A guess ends before a token that the guessing model finds less likely than this.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A much smaller model with the same vocabulary that guesses for this one. Empty is none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A phrase does not run on past these.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A picture or recording is encoded as soon as it is added, so that the answer begins sooner.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A program that asks for another model than the loaded one is refused. Otherwise the loaded one answers to any name.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A program that names another model of this computer gets it: at once, or after you were asked. Otherwise the loaded one answers.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A tool that says nothing for so long is stopped. One that tells its progress may go on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A warm answer has the very numbers of a cold start, however numbers are rounded. For that the end of each prompt and every answer are read once more with the next question, and guesses stay short.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Always</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An answer that only writes the same again and again is stopped; it can go on anyway.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An https address where a newer list can be had, of whomever you trust. Empty is the list of this version.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another Hearth in your network, to which you showed this one&apos;s code, uses the model: encrypted, and without a key.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answers at once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Anybody in your network who has the key can use the model. Needs a key.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Applies once to every token that was used. 0 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask me</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checkpoint every</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checkpoint memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checkpoints that are not at a message keep at least this far apart.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose among the likeliest tokens that together reach this probability. 1 means all.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose among this many of the likeliest tokens. 0 means all.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Computers that you paired</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Computes attention with less memory; a quantised V cache needs it. On a processor it is slower in long conversations: automatic leaves it out where the memory allows that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>DRY allowed length</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>DRY base</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>DRY multiplier</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>DRY sequence breakers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>DRY window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Date and time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Documents of the chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Downloads go to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dynamic temperature exponent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dynamic temperature range</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Encoded pictures and recordings are kept in memory, so that none is encoded twice. 0 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Encoded pictures and recordings are kept on disk too, for the next start. 0 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exact to the last bit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fewest tokens per guess</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flash attention</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folders for files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folders of yours. Models are found in them and in whatever is below them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folders with models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For models that were trained to predict several tokens (MTP). Takes memory for one more layer or two.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Free the context when idle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Free the memory when idle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Frequency penalty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Full</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Full-size sliding-window cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Grows with each use of a token. 0 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Guess from the conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Guess with the model&apos;s own head</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Guesses have no more than {n} tokens, so that none is checked.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Guesses stay so short that checking them gives the very numbers of plain decoding, or are left out.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How adventurous the choice of words is. 0 always takes the likeliest.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How fast Mirostat corrects itself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How fast the DRY penalty grows with the length of the phrase.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How keys are kept. q8_0 halves their memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How keys of the draft model, or of the model&apos;s own head, are kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How long nothing must have been asked before a conversation is written to disk.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many answers may be written at the same time, such as for several clients. They share the context, and each is slower then; the numbers below the estimate tell what more memory that takes. 1 writes one after the other.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many layers are kept on the graphics card. -1 takes as many as there are, 0 none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many of the last tokens DRY looks at. 0 is off, -1 the whole context.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many of the last tokens the penalties look at. 0 is off, -1 the whole context.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many places in a conversation such a model can return to without reading it all again. 0 is none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many tokens are computed at once while the model reads. Smaller stops sooner.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many tokens are handed to the model at once while it reads.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How much of a conversation the model can look at. 0 is as much as it was trained with.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How often a model may call tools before it has to ask you whether to go on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How often the likeliest choices are left out, for variety. 0 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How the certainty maps to the temperature.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How values are kept. Quantised types need flash attention.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Image detail</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In the window where another chat is open, and by the system&apos;s notifications while the window is not in use.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It can&apos;t be larger than the context: it becomes {n}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV cache type K</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV cache type K of the draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV cache type V</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV cache type V of the draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep at least</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep conversations warm on disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keeps every cell of sliding-window layers: more memory, and any edit resumes where it was made.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keeps the surprise of the text constant, instead of top-k, top-p and so on. 0 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kept after</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave out tokens less likely than this share of the likeliest one. 0 leaves out none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave out tokens whose logit is more than this many standard deviations below the best. -1 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Length of a result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let other programs on this computer use the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let the model title chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Light, dark, or as the system says.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>List of good models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading mode</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Locally typical sampling. 1 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lock in memory (mlock)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Long text becomes an attachment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Longest answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look at pictures while you write</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Makes tokens that were used lately less likely. 1 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Map and lock (mmap+mlock)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Map the file (mmap)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory for other conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>MiB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Micro-batch size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Min-p</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mirostat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mirostat learning rate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mirostat target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most tokens from the conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most tokens per guess</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Motion</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Never</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is kept before this much has been read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of everything in the window. Ctrl+Plus and Ctrl+Minus change it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of the model&apos;s own head or of a draft model. Fewer are guessed where that is faster.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One is taken each time this much was read or written, while it costs little. 0 takes them at messages alone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only by the model&apos;s own name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only tokens at least this likely are left out by XTC. Above 0.5 XTC is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other computers in the network too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Past the file cache (dio)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pasted text of more characters than this, or of more than 60 lines, is attached as a file. 0 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Penalty window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Phrases up to this length may repeat freely.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Picture cache on disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Picture memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Port</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Port for paired computers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Presence penalty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Processor threads for the model. 0 takes the number of real cores, less one for the window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Programs may load other models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Python</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read ahead</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read it whole (none)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reduced</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reduced: nothing on screen moves or blinks by itself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Repeat penalty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Room on disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Room on disk for programs&apos; conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rounds in one answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shorter guesses of the model&apos;s own head or of a draft model are not checked at all.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Smallest gap</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Smallest probability of a guess</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Smallest prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop answers that repeat themselves</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Strength of the penalty on repeated phrases. 0 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tell when an answer is there</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The answer stops after this many tokens. 0 lets it use the room that the context has.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file that was loaded last; it is loaded again at the start.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The filters leave at least this many tokens to choose from.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The longest guess from what was written before.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The micro-batch cannot be larger than the batch, which is {size} tokens.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model computes with code that it writes. The code can reach no files and no network, and never asks. It is prepared once, in the background: that takes some seconds of a processor.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model has no more than {n} layers, with its output: it becomes {n}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model is unloaded when nobody has used it for so long, and loads again when you ask it something. 0 keeps it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model lists, reads and searches the folders below. Before it writes it asks, and shows the difference.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model looks for what was said in your other chats. It asks first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model reads documents that you attach to a new chat, and after tools were used what your next question needs, before you ask it. It then answers at once, for a little more power.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model reads pages in the internet, and asks about each host. Pages in your own network stay closed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model searches and reads the documents and collections of the chat, also what was left out of a full context. It never asks.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model was trained with {trained} tokens: it becomes {n}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The most that all checkpoints together may take. It wins over the number.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The most that all of it may take. What was used longest ago goes first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The most that one picture may take of the context, for models that let this be chosen. More shows finer detail and takes longer. 0 leaves it to the model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The origin of a page, such as https://example.org, whose scripts may ask the model. Empty allows none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The same seed, prompt and settings give the same answer. -1 draws a new one each time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The surprise that Mirostat aims at.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The temperature varies by this much with the certainty. 0 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Theme</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>They ask the model that is loaded here, in OpenAI&apos;s manner, and wait while it answers you.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This computer runs no more than {n} threads at once: it becomes {n}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This system lets Hearth lock {limit} (RLIMIT_MEMLOCK). What is beyond that may be swapped out.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Threads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time for one call</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Top-n-sigma</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Top-p</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Typical-p</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Web page that may use it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Web pages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What a conversation had read is kept when another one is opened, and brought back in an instant. 0 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What a model can&apos;t know by itself. It never asks.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What a program has to send as its API key. Empty asks for none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What a tool gives beyond this is cut, and can be read on. It is never more than a quarter of the context.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What every conversation tells the model first. May be empty.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is hidden in them, and links that lead out of them, stay closed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the model has read is kept for the next start, for you alone. Switching this off removes what is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the model has read of them is kept for the next start, in files that hold what was said. What was used longest ago goes first. 0 keeps nothing.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was written before is guessed to come again, as when code or text is revised.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When it has nothing else to do. A title that you typed is never replaced.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When nobody has used the model for so long, its context and the graphics card&apos;s memory are freed. The weights stay in memory, so that it is back in a moment. 0 keeps the context.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where the programs find it. Choose another one where this is in use.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where they find this one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With Enter, Shift+Enter begins a new line; with Ctrl+Enter, Enter alone does.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a number, such as {example}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a whole number, such as {example}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>XTC probability</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>XTC threshold</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>characters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>minutes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mmap maps the file: quick, but the system may drop parts and read them again. none reads all of it: slower to load. mlock and mmap+mlock also keep it from being swapped out, so other programs have less. dio reads past the system&apos;s file cache: every load waits for the disk. auto is mmap where the devices can.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{escape} means nothing here: write \n, \t, \r, \\ or \u0000.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{type} values need flash attention: turn it on or to automatic, or choose f32, f16 or bf16 here.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>settings_titles</name>
    <message>
        <source>Checkpoints</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For models that see. A picture is looked at once, and what came of it is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>General</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How a model is loaded, and what it may take.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How the next word is chosen.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Library</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Local API</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other programs can use the model that is loaded here, as they would use OpenAI&apos;s.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pictures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Several tokens are guessed cheaply (drafted) and checked at once. Each one is still the model&apos;s own choice; where drafts would not make it faster, there are none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Some models cannot simply go back in a conversation (sliding windows, recurrent layers). For these, places to return to are kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speculative decoding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speed and memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warm conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What a model has read of a conversation is kept, so that coming back to it costs nothing.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What a model may ask for while it answers, and what it is allowed to do.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is kept so that nothing is read twice, and what makes answers faster.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where models are found, beside the folders of the programs that Hearth knows.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>tools</name>
    <message>
        <source>Each request has the headers {pairs}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It begins in the folder {folder}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It can do whatever its server can: read, change, run and send.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is told {names} of your environment.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It says that it may change something on this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It says that it may change something, and what it is told may leave this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It says that it only reads.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It says that it reads, and what it is told may leave this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its environment has {pairs}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Starts when it is needed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model wants to look into your other chats. What it finds becomes part of this one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model wants to read a page of {host}, which learns the address below.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model wants to use {tool} of {server}. {able}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model wants to use {tool}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model wants to write this file. You can undo it afterwards.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The same call was made twice before.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waits for you to sign in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the server says of this tool has changed since you allowed it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You have always allowed it, but this chat holds text from outside now, which may have told the model to.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is asked at {where}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} runs on this computer, with all that you may do: {where}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>view</name>
    <message>
        <source>less than a second</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{seconds} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{minutes} min {seconds} s</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
